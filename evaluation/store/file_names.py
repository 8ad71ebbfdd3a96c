"""Names of the files in a run folder."""

from __future__ import annotations

from ...records.folder_files import CLUSTERS, LABELS, MANIFEST, OUTPUTS, VERDICTS

__all__ = [
    "ADJUDICATIONS",
    "AUDIT",
    "CALIBRATION",
    "CASCADE",
    "CERTIFICATES",
    "CLUSTERS",
    "COMPARISON",
    "FORMS",
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
CERTIFICATES = "certificate*.json"
COMPARISON = "comparison.json"
REPORT = "report.html"

CASCADE = "cascade.json"
"""The first judge's share of a cascade's verdicts, in the folder of the second judge's run."""

FORMS = "forms.jsonl"
"""Answers of an audit to the same questions in other forms, which are no grades."""

AUDIT = "audit.json"
"""Results of an audit, in the folder of the run that judged its probes."""

PAIRS = "pairs_of"
"""Key in the identity of a run on pairs of outputs, with the hashes of their files."""

GENERATED = OUTPUTS
"""Outputs of a run that generates them itself; the file grows when the run is resumed."""
