"""The last stage: what a run comes to, in numbers."""
