"""Names of the files in a run folder."""

from __future__ import annotations

from ...records.folder_files import CLUSTERS, LABELS, MANIFEST, OUTPUTS, VERDICTS

__all__ = [
    "ADJUDICATIONS",
    "AUDIT",
    "CALIBRATION",
    "CLUSTERS",
    "COMPARISON",
    "GENERATED",
    "LABELS",
    "MANIFEST",
    "PAIRS",
    "REPORT",
    "STATEMENTS",
    "VERDICTS",
]

STATEMENTS = "statements.jsonl"
ADJUDICATIONS = "adjudications.jsonl"
CALIBRATION = "calibration.json"
COMPARISON = "comparison.json"
REPORT = "report.html"

AUDIT = "audit.json"
"""What an audit found, which is kept in the folder of the run that asked about its probes."""

PAIRS = "pairs_of"
"""In the identity of a run about pairs of outputs: the hashes of the files that these are in."""

GENERATED = OUTPUTS
"""The outputs of a run that generates them itself; it grows when the run goes on."""
