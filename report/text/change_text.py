"""Changes of scores and probabilities, which a threshold would hide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...evaluation.audit.audit_results import FormResult, OperatorResult
from ..document import Piece
from ..document_parts import ENDS, DocumentTable
from .number_text import decimal, outcomes, signed
from .one_screen import statistic_text
from .probe_titles import probe_cell
from .safe_text import shortened

_ITEM = 60
"""Characters of a probe's name."""

_AGAINST = {
    "nothing": "between repeats",
    "attack": "against its control",
    "twin": "harmless",
    "fault": "should fall",
    "control": "should fall",
}


def change_pieces(operators: Iterable[OperatorResult]) -> Iterator[Piece]:
    """Yield a table of the changes of scores by operator; nothing if none can be compared."""
    rows = [
        (
            probe_cell(operator.operator),
            statistic_text(change.mean),
            statistic_text(change.size),
            f"{change.size.n:,}",
            signed(change.largest),
            f"{_AGAINST[operator.plants]}; largest at {shortened(change.largest_at, _ITEM)}",
        )
        for operator in operators
        if (change := operator.change) is not None
    ]
    if rows:
        yield "  change of scores from the right output, whether or not the verdict changes:"
        yield DocumentTable(("", "mean", "mean size", "n", "largest", ""), rows, left_aligned=ENDS, indent=4)


def form_pieces(forms: Sequence[FormResult]) -> Iterator[Piece]:
    """Yield the answers of a decision model in other forms: changes, markers, confidence."""
    if not forms:
        return
    rows = [
        (
            probe_cell(result.form),
            statistic_text(result.change),
            "-" if result.beyond_repeats is None else statistic_text(result.beyond_repeats),
            "-" if result.yes is None else statistic_text(result.yes),
            "-" if result.largest is None else decimal(result.largest),
            f"{result.change.n:,}",
            "; ".join(
                filter(
                    None,
                    [
                        result.about + (result.against and f", against {result.against}"),
                        outcomes(result.ungraded),
                    ],
                )
            ),
        )
        for result in forms
        if result.change.n or result.ungraded
    ]
    yield "  change of probabilities, the same questions in other forms:"
    head = ("", "mean change", "beyond repeats", "p of yes", "largest", "n", "")
    yield DocumentTable(head, rows, left_aligned=ENDS, indent=4)
    for each in forms:
        if each.marker is not None and each.marker.value is not None:
            seen = (
                "" if each.marker_seen is None else f", {statistic_text(each.marker_seen)} above without it"
            )
            yield f"  {each.form}: p of the marker {statistic_text(each.marker)}{seen}"
    sure = [(result.form, result.confidence) for result in forms if result.confidence is not None]
    if sure:
        names = {"repeats": "about its own material", "out_of_scope": "about unrelated material"}
        yield "  confidence " + ", ".join(f"{names[form]} {statistic_text(each)}" for form, each in sure)
