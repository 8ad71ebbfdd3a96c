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
            probe_cell(each.operator),
            statistic_text(change.mean),
            statistic_text(change.size),
            f"{change.size.n:,}",
            signed(change.largest),
            f"{_AGAINST[each.plants]}; largest at {shortened(change.largest_at, _ITEM)}",
        )
        for each in operators
        if (change := each.change) is not None
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
            probe_cell(each.form),
            statistic_text(each.change),
            "-" if each.beyond_repeats is None else statistic_text(each.beyond_repeats),
            "-" if each.yes is None else statistic_text(each.yes),
            "-" if each.largest is None else decimal(each.largest),
            f"{each.change.n:,}",
            "; ".join(
                filter(
                    None,
                    [each.about + (each.against and f", against {each.against}"), outcomes(each.ungraded)],
                )
            ),
        )
        for each in forms
        if each.change.n or each.ungraded
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
    sure = [(each.form, each.confidence) for each in forms if each.confidence is not None]
    if sure:
        names = {"repeats": "about its own material", "out_of_scope": "about unrelated material"}
        yield "  confidence " + ", ".join(f"{names[form]} {statistic_text(each)}" for form, each in sure)
