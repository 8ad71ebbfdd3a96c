"""Trusted verdicts: which outputs a person is to label, and what becomes of labels in a run."""
