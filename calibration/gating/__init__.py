"""Answers of a gate: whether intervals with ungraded outputs at either end clear a limit."""
