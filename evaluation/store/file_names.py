"""Names of the files in a run folder."""

from __future__ import annotations

MANIFEST = "run.json"
VERDICTS = "verdicts.jsonl"
STATEMENTS = "statements.jsonl"
LABELS = "labels.jsonl"
ADJUDICATIONS = "adjudications.jsonl"
CLUSTERS = "clusters.json"
CALIBRATION = "calibration.json"
COMPARISON = "comparison.json"
REPORT = "report.html"

AUDIT = "audit.json"
"""What an audit found, which is kept in the folder of the run that asked about its probes."""

PAIRS = "pairs_of"
"""In the identity of a run about pairs of outputs: the hashes of the files that these are in."""

GENERATED = "outputs.jsonl"
"""The outputs of a run that generates them itself; it grows when the run goes on."""
