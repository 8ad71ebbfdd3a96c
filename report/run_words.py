"""What a run came to, as a document: systems, judges, and what a reader must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluation.conclusion.results import JudgeUse, Stratum, SystemResult
from . import words
from .document import Block, Caution, Cell, Document, Heading, Table


def run_document(systems: Sequence[SystemResult], judges: Sequence[JudgeUse]) -> Document:
    """A run in blocks, short enough for a notebook's cell.

    Args:
        systems: What is said of each system.
        judges: What each judge was used for.

    Returns:
        The systems' rates, the notes on them, each once, and the judges.
    """
    return list(_blocks(systems, judges))


def _blocks(systems: Sequence[SystemResult], judges: Sequence[JudgeUse]) -> Iterator[Block]:
    yield Heading("Systems", 3)
    rows = [_rate_row(system.system, part) for system in systems for part in system.strata]
    yield Table(("system", "part", "rate", "on", "not graded"), rows, words=frozenset({0, 1, 4}))
    for note in dict.fromkeys(part.note for system in systems for part in system.strata if part.note):
        yield Caution(note)
    if judges:
        yield Heading("Judges", 3)
        uses = [(use.name, words.outcomes(use.outcomes), words.count(use.calls)) for use in judges]
        yield Table(("judge", "said", "calls"), uses, words=frozenset({0, 1}))


def _rate_row(system: str, part: Stratum) -> tuple[str | Cell, ...]:
    name = part.name if part.by is None else f"{part.name}, {part.by}"
    rate = Cell("undefined", part.undefined or "") if part.value is None else _value(part)
    return system, name, rate, words.denominator(part).removeprefix("on "), words.outcomes(part.outcomes)


def _value(part: Stratum) -> Cell:
    assert part.value is not None
    return Cell(words.decimal(part.value), words.interval(part.low, part.high))
