"""Trusted verdicts: samples for people to label, and labels in a run."""
