"""Several judges on one output, counted into one verdict."""
