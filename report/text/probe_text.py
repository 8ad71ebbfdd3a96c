"""Probes in words: how many of each operator, and which were dropped."""

from __future__ import annotations

from ...evaluation.audit.probe_folder import ProbeManifest
from ..document import Document
from ..document_parts import ENDS, DocumentTable
from .number_text import count


def probe_document(manifest: ProbeManifest) -> Document:
    """Summarize the output of `build_probes`."""
    made = ", ".join(f"{made:,} {plants}s" for plants, made in manifest.by_plants.items())
    over = "; ".join(f"{passed:,} {reason}" for reason, passed in manifest.passed_over.items())
    rows = [
        (each.name, each.plants, *map(count, (each.probes, each.dropped, each.missed_by_bfcl)), each.about)
        for each in manifest.operators
    ]
    return [
        f"{made}, of {manifest.right_outputs:,} right outputs" + (f" (skipped: {over})" if over else ""),
        DocumentTable(
            ("operator", "plants", "probes", "dropped", "BFCL misjudges", "what it does"), rows, words=ENDS
        ),
        "dropped: strict rules contradict the intended label; listed as weaknesses of the rules",
    ]
