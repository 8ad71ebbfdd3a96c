"""Scores by rubrics: means over items and tags, corrected for a judge's errors."""
