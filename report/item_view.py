"""One row of the table of items: everything bounded in size, ready for the template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import msgspec

from ..records import Output, Verdict
from . import words
from .model import Candidate, ReportItem
from .text import Excerpt, excerpt, json_excerpt, shortened

Status: TypeAlias = Literal["disagreement", "not graded", "wrong", "right"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""What an item may be, most worth reading first."""

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


def status_of(item: Candidate, pass_at: float) -> Status:
    """What an item is, which decides how early it is shown.

    Args:
        item: What was said of an output.
        pass_at: From which score on a verdict counts as a pass.

    Returns:
        ``disagreement`` when graded verdicts fall on both sides; ``not graded`` when a judge that was asked gave no
        score, or nobody did; else the verdict they share.
    """
    passed = {verdict.score >= pass_at for _, verdict in _said_of(item) if verdict.score is not None}
    if len(passed) > 1:
        return "disagreement"
    if not passed or any(not verdict.graded for verdict in item.judges):
        return "not graded"
    return "right" if passed == {True} else "wrong"


def view_of(item: ReportItem, status: Status, pass_at: float) -> ItemView:
    """Make the row of an item.

    Args:
        item: The output with everything that was said of it.
        status: As `status_of` says.
        pass_at: From which score on a verdict counts as a pass.

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
        verdicts=[_verdict(role, verdict, pass_at) for role, verdict in _said_of(item)],
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


def _said_of(item: Candidate | ReportItem) -> list[tuple[str, Verdict]]:
    said = [
        ("label", item.label),
        ("checker", item.checker),
        *(("judge", verdict) for verdict in item.judges),
    ]
    return [(role, verdict) for role, verdict in said if verdict is not None]


def _verdict(role: str, verdict: Verdict, pass_at: float) -> VerdictView:
    if verdict.score is None:
        mark, says = "ungraded", verdict.outcome.replace("_", " ")
    else:
        mark = "right" if verdict.score >= pass_at else "wrong"
        says = mark if verdict.score in {0.0, 1.0} else f"{mark} ({words.decimal(verdict.score)})"
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
