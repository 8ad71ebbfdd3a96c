"""Statistics, one a module: formulas of counts on the distinct pairs of label and score."""
