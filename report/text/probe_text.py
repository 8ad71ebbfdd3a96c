"""Probes in words: counts by operator, and those dropped."""

from __future__ import annotations

from ...evaluation.audit.probe_folder import ProbeManifest
from ..document import Document
from ..document_parts import ENDS, FIRST, DocumentTable
from .number_text import count, counted


def probe_document(manifest: ProbeManifest, *, about: bool = True) -> Document:
    """Summarize the output of `build_probes`; ``about`` describes the operators."""
    made = ", ".join(counted(made, plants) for plants, made in manifest.by_plants.items())
    over = "; ".join(f"{passed:,} {reason}" for reason, passed in manifest.passed_over.items())
    rows = [
        (
            operator.name,
            operator.plants,
            *map(count, (operator.probes, operator.dropped, operator.missed_by_bfcl)),
            *([operator.about] if about else []),
        )
        for operator in manifest.operators
    ]
    head = ("operator", "plants", "probes", "dropped", "BFCL misjudges")
    return [
        f"{made}, of {counted(manifest.right_outputs, 'right output')}"
        + (f" (skipped: {over})" if over else ""),
        DocumentTable(
            (*head, *(["what it does"] if about else [])), rows, left_aligned=ENDS if about else FIRST | {1}
        ),
        "dropped: strict rules contradict the intended label; listed as weaknesses of the rules",
    ]
