"""Comparison of judges, prompts and systems on the same items, behind `fiducial compare`."""
