"""Improve a judge prompt: candidates, development groups, one look at a locked holdout."""
