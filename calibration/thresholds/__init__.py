"""Pass thresholds and confidence thresholds of verdicts, and what they guarantee."""
