"""One item laid out for reading: everything that was said of it and why, bounded in size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias, TypeVar, get_args

import msgspec

from ...calibration.cuts import HALF, Cut
from ...evaluation.store.standing import Said
from ...records import Author, JudgeId, Output, Verdict
from .. import words
from ..document import FIRST, Cell, Details, Document, Mark, Piece, Table, Verbatim
from ..model import Candidate, ReportItem
from ..text import Excerpt, excerpt, json_excerpt, shortened

Status: TypeAlias = Literal["disagreement", "not graded", "wrong", "right"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""What an item may be, most worth reading first."""

S = TypeVar("S", bound=Verdict | Said)

NAME_LIMIT = 200
"""Characters of an id, a name or an error type."""
SENTENCE_LIMIT = 600
"""Characters of a reason."""
BLOCK_LIMIT = 6_000
"""Characters of a query, an output, a reference or a judge's reply."""


def status_of(item: Candidate, cuts: Mapping[Author, Cut]) -> Status:
    """What an item is, which decides how early it is shown.

    Args:
        item: What was said of an output.
        cuts: From which score on the verdicts of each judge pass; 0.5 for those that are not there.

    Returns:
        ``disagreement`` when graded verdicts fall on both sides; ``not graded`` when a judge that was asked gave no
        score, or nobody did; else the verdict they share.
    """
    held_to = _labels_cuts(item, cuts)
    # Comparing words reads nothing, and counts only where nobody does.
    judges = [verdict for verdict in item.judges if not _compares_words(verdict.author)] or item.judges
    passed = {
        verdict.score >= at
        for role, verdict in _by_role(item.label, item.checker, judges)
        if verdict.score is not None
        for at in ([_cut(verdict, cuts)] if role == "judge" else held_to)
    }
    if len(passed) > 1:
        return "disagreement"
    if not passed or any(not verdict.graded for verdict in judges):
        return "not graded"
    return "right" if passed == {True} else "wrong"


def _compares_words(author: Author) -> bool:
    return isinstance(author, JudgeId) and author.kind == "baseline"


def said_of(item: Candidate, cuts: Mapping[Author, Cut]) -> str:
    """What was said of an item, in a line: ``checker wrong; judges: 2 right, 1 unparsable``."""
    told: dict[str, Counter[str]] = {}
    for role, verdict in _by_role(item.label, item.checker, item.judges):
        at = _cut(verdict, cuts) if role == "judge" else _labels_cuts(item, cuts)[0]
        told.setdefault(role, Counter())[_says(verdict, at).partition(" (")[0]] += 1
    return "; ".join(
        f"{role}{'s' if counts.total() > 1 else ''}: "
        + ", ".join(f"{number} {says}" if counts.total() > 1 else says for says, number in counts.items())
        for role, counts in told.items()
    )


def item_document(item: ReportItem, cuts: Mapping[Author, Cut]) -> Document:
    """Lay an item out.

    Args:
        item: The output with everything that was said of it.
        cuts: From which score on the verdicts of each judge pass; 0.5 for those that are not there.

    Returns:
        Who said what and why, what was asked, what came, what is right; no text in it is longer than this module's limits.
    """
    return list(_pieces(item, cuts))


def _pieces(item: ReportItem, cuts: Mapping[Author, Cut]) -> Iterator[Piece]:
    yield Table(
        (), [_verdict_row(role, verdict, item, cuts) for role, verdict in _said(item)], words=FIRST | {1, 2}
    )
    yield _verbatim("Query", excerpt(item.query, BLOCK_LIMIT))
    yield from _output(item.output)
    if item.reference:
        yield _verbatim("Reference", json_excerpt(item.reference, BLOCK_LIMIT))
    if item.context:
        yield _verbatim("Context", json_excerpt(msgspec.to_builtins(item.context), BLOCK_LIMIT))
    if item.tools:
        yield Details("Tools", [_verbatim("Function documents", json_excerpt(item.tools, BLOCK_LIMIT))])
    for _, verdict in _said(item):
        if verdict.raw is not None:
            yield _verbatim(f"Reply of {_name(verdict.by)}", excerpt(verdict.raw, BLOCK_LIMIT))


def _output(output: Output) -> Iterator[Piece]:
    if output.text is not None:
        yield _verbatim("Output", excerpt(output.text, BLOCK_LIMIT) if output.text else Excerpt("(empty)"))
    if output.tool_calls is not None:
        calls = [{"name": call.name, "arguments": call.arguments} for call in output.tool_calls]
        yield _verbatim("Native calls", json_excerpt(calls, BLOCK_LIMIT))
    if output.turns is not None:
        yield _verbatim("Turns", json_excerpt(msgspec.to_builtins(output.turns), BLOCK_LIMIT))
    if output.workspace is not None:
        yield _verbatim("Workspace", excerpt(output.workspace, BLOCK_LIMIT))


def _verbatim(title: str, shown: Excerpt) -> Verbatim:
    return Verbatim(title, shown.text, shown.hidden)


def _verdict_row(
    role: str, verdict: Verdict, item: ReportItem, cuts: Mapping[Author, Cut]
) -> tuple[Cell, ...]:
    at = _cut(verdict, cuts) if role == "judge" else _labels_cuts(item, cuts)[0]
    why = shortened(verdict.reason or "", SENTENCE_LIMIT)
    mark: Mark = "doubt" if verdict.score is None else "right" if verdict.score >= at else "wrong"
    return (
        Cell(role, _name(verdict.by)),
        Cell(_says(verdict, at), mark=mark),
        Cell(_name(verdict.error_type or ""), why),
    )


def _by_role(label: Verdict | None, checker: S | None, judges: Iterable[S]) -> list[tuple[str, Verdict | S]]:
    said = [("label", label), ("checker", checker), *(("judge", verdict) for verdict in judges)]
    return [(role, verdict) for role, verdict in said if verdict is not None]


def _said(item: ReportItem) -> list[tuple[str, Verdict]]:
    return _by_role(item.label, item.checker, item.judges)


def _cut(verdict: Verdict | Said, cuts: Mapping[Author, Cut]) -> float:
    return cuts.get(verdict.author, Cut()).at


def _labels_cuts(item: Candidate | ReportItem, cuts: Mapping[Author, Cut]) -> list[float]:
    """To which cuts labels and checkers are held: where a label is a share, to those of the judges that it stands beside."""
    return list(dict.fromkeys(_cut(verdict, cuts) for verdict in item.judges if verdict.graded)) or [HALF]


def _says(verdict: Verdict | Said, cut: float) -> str:
    """What a verdict says, held to a cut: ``right``, ``wrong (0.40; passes at 0.7)``, or why it has no score."""
    if verdict.score is None:
        return words.outcome(verdict.outcome)
    says = "right" if verdict.score >= cut else "wrong"
    passing = "" if cut == HALF else f"; passes at {cut:g}"
    return says if verdict.score in {0.0, 1.0} else f"{says} ({words.decimal(verdict.score)}{passing})"


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
