"""Scores by rubrics of many criteria: means over items and tags, and what a judge's errors make of them."""
