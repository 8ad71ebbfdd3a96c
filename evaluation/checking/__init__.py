"""The first stage: every output gets the verdict of its checker."""
