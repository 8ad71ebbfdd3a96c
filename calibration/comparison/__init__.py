"""Judges, prompts and systems against each other on the same items: what `fiducial compare` computes."""
