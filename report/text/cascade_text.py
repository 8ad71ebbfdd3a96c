"""Cascades in words: what the first judge decides alone, with its error and cost."""

from __future__ import annotations

from collections.abc import Iterator

from ...evaluation.past_runs.certified_part import CertifiedPart
from .number_text import counted


def cascade_notes(part: CertifiedPart) -> Iterator[str]:
    """Yield what was kept of the first judge's verdicts, as certified, and what was sent on."""
    found = part.certificate
    asked = counted(part.outputs, "output")
    if found.threshold is None or found.error_bound is None:
        yield f"Cascade: {part.judge} decides none of {asked} alone: {found.undefined}. All are judged here."
    else:
        yield (
            f"Cascade: {part.judge} decides {part.kept:,} of {asked} alone, of which {part.kept_passed:,} pass: "
            f"wrong at most {100 * found.error_bound:.1f} % of the time (90 % confidence, {found.errors:,} of {found.kept:,} labelled ones, one per cluster, wrong), "
            "if its labels are a random sample of these outputs."
        )
        ungraded = f", and {part.ungraded:,} without a score" if part.ungraded else ""
        yield f"The other {part.sent_on:,} are judged here: scores between {part.low:.3g} and {part.high:.3g}{ungraded}."
    if part.cost is not None:
        yield f"{part.judge} cost ${part.cost:.4f} for all {asked}."
