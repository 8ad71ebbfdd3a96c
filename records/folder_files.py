"""Names of files that several kinds of folder (imports, runs, probes) have in common."""

from __future__ import annotations

CASES = "cases.jsonl"
OUTPUTS = "outputs.jsonl"
VERDICTS = "verdicts.jsonl"
LABELS = "labels.jsonl"
CLUSTERS = "clusters.json"

MANIFEST = "run.json"
"""Manifest of a run; it marks the folder of one."""
