"""Judges on a page: how far each may be trusted and why, and what asking them took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..calibration.agreement.calibration_results import CalibrationNumbers
from ..evaluation.conclusion.run_results import JudgeUse
from .calibration_page import statistic_cell
from .document import Document, Figure, Piece, document
from .document_table import FIRST, Cell, DocumentTable
from .figures.scores import cost
from .text import number_text
from .text.judges_text import judges_table
from .trust import Trust


def trust_document(
    trust: Sequence[Trust],
    labels: Mapping[str, int],
    certificates: Mapping[str, Sequence[str]] | None = None,
    control: Trust | None = None,
) -> Document:
    """Build the document of trust in each judge: verdict, reason, labels, certificates.

    Labels are counted by who gave them; certificates are those beside the run.
    """
    if not trust:
        return []
    given = ", ".join(f"{number_text.count(number)} by {who}" for who, number in labels.items() if number)
    certified = [f"{judge}: {said}" for judge, told in (certificates or {}).items() for said in told]
    none = "Certificates in the run's folder: none."
    return [
        *judges_table(trust, why=True, control=control),
        f"Labels: {given or 'none'}.",
        *(certified or [none]),
    ]


_HEAD: tuple[str | Cell, ...] = (
    "Calls",
    "From cache",
    Cell(
        "Asked again",
        title="Replies that could not be read and were asked for once more; counted in the calls",
    ),
    "Tokens in",
    "Tokens out",
    Cell("Cost", title="US dollars for these tokens at list prices"),
    "Time",
)


@document
def costs_document(judges: Sequence[JudgeUse], calibration: CalibrationNumbers | None) -> Iterator[Piece]:
    """Yield each judge's use and cost, beside its agreement with the labels."""
    if not judges:
        return
    panels = {} if calibration is None else calibration.judges
    worths = {name: panel.statistics.get("accuracy") for name, panel in panels.items()}
    rows: list[list[str | Cell]] = []
    for judge in judges:
        row: list[str | Cell] = [
            Cell(judge.name, judge.fingerprint[:12], f"fingerprint {judge.fingerprint}"),
            number_text.outcomes(judge.outcomes) or "none",
            number_text.count(judge.calls),
            number_text.count(judge.from_cache),
            number_text.count(judge.reasked),
            number_text.count(judge.prompt_tokens),
            number_text.count(judge.completion_tokens),
            "-" if judge.cost is None else f"${number_text.decimal(judge.cost, 4)}",
            "-" if judge.seconds is None else number_text.duration(judge.seconds),
        ]
        if calibration is not None:
            row.insert(2, statistic_cell(worths.get(judge.name)))
        rows.append(row)
    accuracy = Cell("Accuracy", title="Share of labelled outputs on which judge and label agree")
    head = ["Judge", "Verdicts", *([accuracy] if calibration is not None else []), *_HEAD]
    yield from _drawn(judges, {name: each.value for name, each in worths.items() if each is not None})
    yield DocumentTable(head, rows, words=FIRST | {1})


def _drawn(judges: Sequence[JudgeUse], worths: Mapping[str, float | None]) -> Iterator[Figure]:
    """Yield cost against accuracy, if at least two judges have both.

    Tokens stand in for cost if no price is known.
    """
    prices = {judge.name: _verdict_price(judge) for judge in judges}
    for unit, place in (("$ a verdict", 0), ("tokens a verdict", 1)):
        points = {
            name: (paid, worth)
            for name, price in prices.items()
            if (worth := worths.get(name)) is not None and (paid := price[place]) is not None
        }
        if len(points) > 1:
            caption = f"Accuracy by {unit}"
            yield Figure(cost(caption, points, unit=unit), caption=caption)
            return


def _verdict_price(judge: JudgeUse) -> tuple[float | None, float | None]:
    """Dollars and tokens a verdict; None where nothing is known of them."""
    verdicts = sum(judge.outcomes.values())
    tokens = judge.prompt_tokens + judge.completion_tokens
    if not verdicts:
        return None, None
    return None if judge.cost is None else judge.cost / verdicts, tokens / verdicts if tokens else None
