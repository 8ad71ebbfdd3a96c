"""One row of the table of items: everything bounded in size, ready for the template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias, TypeVar, get_args

import msgspec

from ..calibration.cuts import HALF, Cut
from ..evaluation.store.standing import Said
from ..records import Author, Output, Verdict
from . import words
from .model import Candidate, ReportItem
from .text import Excerpt, excerpt, json_excerpt, shortened

Status: TypeAlias = Literal["disagreement", "not graded", "wrong", "right"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""What an item may be, most worth reading first."""

S = TypeVar("S", bound=Verdict | Said)

NAME_LIMIT = 200
"""Characters of an id, a name or an error type."""
SENTENCE_LIMIT = 600
"""Characters of a reason, and of the query in the closed row."""
BLOCK_LIMIT = 6_000
"""Characters of a query, an output, a reference or a judge's reply."""


class VerdictView(msgspec.Struct, frozen=True):
    """A verdict in words: who, what (``right``, ``wrong``, a score, or why there is none), and why."""

    by: str
    role: str
    mark: Literal["right", "wrong", "ungraded"]
    says: str
    error_type: str
    reason: str


class Block(msgspec.Struct, frozen=True):
    """A text of an item: under which title, and under which fold, when it is folded away."""

    title: str
    shown: Excerpt
    folded: str | None = None


class ItemView(msgspec.Struct, frozen=True):
    """What the template shows of one item."""

    case_id: str
    system: str
    category: str
    status: Status
    query: str
    verdicts: list[VerdictView]
    blocks: list[Block]


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
    passed = {
        verdict.score >= at
        for role, verdict in _by_role(item.label, item.checker, item.judges)
        if verdict.score is not None
        for at in ([_cut(verdict, cuts)] if role == "judge" else held_to)
    }
    if len(passed) > 1:
        return "disagreement"
    if not passed or any(not verdict.graded for verdict in item.judges):
        return "not graded"
    return "right" if passed == {True} else "wrong"


def view_of(item: ReportItem, status: Status, cuts: Mapping[Author, Cut]) -> ItemView:
    """Make the row of an item.

    Args:
        item: The output with everything that was said of it.
        status: As `status_of` says.
        cuts: From which score on the verdicts of each judge pass; 0.5 for those that are not there.

    Returns:
        The row; no text in it is longer than this module's limits.
    """
    output = item.output
    return ItemView(
        case_id=_name(output.case_id) + (f" · trial {output.trial}" if output.trial else ""),
        system=_name(output.system),
        category=_name(item.category or "none"),
        status=status,
        query=excerpt(" ".join(item.query[:SENTENCE_LIMIT].split()), SENTENCE_LIMIT).text,
        verdicts=[
            _verdict(role, verdict, _cut(verdict, cuts) if role == "judge" else _labels_cuts(item, cuts)[0])
            for role, verdict in _said_of(item)
        ],
        blocks=list(_blocks(item)),
    )


def _blocks(item: ReportItem) -> Iterator[Block]:
    yield Block("Query", excerpt(item.query, BLOCK_LIMIT))
    yield from _output_blocks(item.output)
    if item.reference:
        yield Block("Reference", json_excerpt(item.reference, BLOCK_LIMIT))
    if item.context:
        yield Block("Context", json_excerpt(msgspec.to_builtins(item.context), BLOCK_LIMIT))
    if item.tools:
        yield Block("Function documents", json_excerpt(item.tools, BLOCK_LIMIT), folded="Tools")
    for _, verdict in _said_of(item):
        if verdict.raw is not None:
            yield Block(f"Reply of {_name(verdict.by)}", excerpt(verdict.raw, BLOCK_LIMIT))


def _output_blocks(output: Output) -> Iterator[Block]:
    if output.text is not None:
        yield Block("Output", excerpt(output.text, BLOCK_LIMIT) if output.text else Excerpt("(empty)"))
    if output.tool_calls is not None:
        calls = [{"name": call.name, "arguments": call.arguments} for call in output.tool_calls]
        yield Block("Native calls", json_excerpt(calls, BLOCK_LIMIT))
    if output.turns is not None:
        yield Block("Turns", json_excerpt(msgspec.to_builtins(output.turns), BLOCK_LIMIT))
    if output.workspace is not None:
        yield Block("Workspace", excerpt(output.workspace, BLOCK_LIMIT))


def _by_role(label: Verdict | None, checker: S | None, judges: Iterable[S]) -> list[tuple[str, Verdict | S]]:
    said = [("label", label), ("checker", checker), *(("judge", verdict) for verdict in judges)]
    return [(role, verdict) for role, verdict in said if verdict is not None]


def _said_of(item: ReportItem) -> list[tuple[str, Verdict]]:
    return _by_role(item.label, item.checker, item.judges)


def _cut(verdict: Verdict | Said, cuts: Mapping[Author, Cut]) -> float:
    return cuts.get(verdict.author, Cut()).at


def _labels_cuts(item: Candidate | ReportItem, cuts: Mapping[Author, Cut]) -> list[float]:
    """To which cuts labels and checkers are held: where a label is a share, to those of the judges that it stands beside."""
    return list(dict.fromkeys(_cut(verdict, cuts) for verdict in item.judges if verdict.graded)) or [HALF]


def _verdict(role: str, verdict: Verdict, cut: float) -> VerdictView:
    if verdict.score is None:
        mark, says = "ungraded", verdict.outcome.replace("_", " ")
    else:
        mark = "right" if verdict.score >= cut else "wrong"
        passing = "" if cut == HALF else f"; passes at {cut:g}"
        says = mark if verdict.score in {0.0, 1.0} else f"{mark} ({words.decimal(verdict.score)}{passing})"
    return VerdictView(
        by=_name(verdict.by),
        role=role,
        mark=mark,
        says=says,
        error_type=_name(verdict.error_type or ""),
        reason=shortened(verdict.reason or "", SENTENCE_LIMIT),
    )


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
