"""Cascades in words: a first judge decides sure cases alone, a second judge gets the rest."""

from __future__ import annotations

from collections.abc import Iterator

from ...evaluation.past_runs.certified_part import CertifiedPart
from .number_text import counted


def cascade_notes(part: CertifiedPart) -> Iterator[str]:
    """Yield how many verdicts of the first judge stand, their certified error, and the rest."""
    certificate = part.certificate
    outputs = counted(part.outputs, "output")
    if certificate.threshold is None or certificate.error_bound is None:
        yield f"Cascade: {part.judge} decides none of {outputs} alone: {certificate.undefined}. All are judged here."
    else:
        yield (
            f"Cascade: {part.judge} decides {part.kept:,} of {outputs} alone, of which {part.kept_passed:,} pass: "
            f"wrong at most {100 * certificate.error_bound:.1f} % of the time (90 % confidence, {certificate.errors:,} of {certificate.kept:,} labelled ones, one per cluster, wrong), "
            "if its labels are a random sample of these outputs."
        )
        ungraded = f", and {part.ungraded:,} without a score" if part.ungraded else ""
        yield f"The other {part.sent_on:,} are judged here: scores between {part.low:.3g} and {part.high:.3g}{ungraded}."
    if part.cost is not None:
        yield f"{part.judge} cost ${part.cost:.4f} for all {outputs}."
