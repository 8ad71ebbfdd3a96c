"""One row of the table of items: everything bounded in size, ready for the template."""

from __future__ import annotations

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
    raw: Excerpt | None


class ItemView(msgspec.Struct, frozen=True):
    """What the template shows of one item."""

    case_id: str
    system: str
    category: str
    status: Status
    query: str
    verdicts: list[VerdictView]
    blocks: list[tuple[str, Excerpt]]


def status_of(item: Candidate, pass_at: float) -> Status:
    """What an item is, which decides how early it is shown.

    Args:
        item: What was said of an output.
        pass_at: From which score on a verdict counts as a pass.

    Returns:
        ``disagreement`` when graded verdicts fall on both sides; ``not graded`` when a judge that was asked gave no
        score, or nobody did; else the verdict they share.
    """
    verdicts = [verdict for verdict in (item.label, item.checker, *item.judges) if verdict is not None]
    passed = {verdict.score >= pass_at for verdict in verdicts if verdict.score is not None}
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
        verdicts=[
            *([_verdict("label", item.label, pass_at)] if item.label is not None else []),
            *([_verdict("checker", item.checker, pass_at)] if item.checker is not None else []),
            *(_verdict("judge", verdict, pass_at) for verdict in item.judges),
        ],
        blocks=_blocks(item),
    )


def _blocks(item: ReportItem) -> list[tuple[str, Excerpt]]:
    blocks = [("Query", excerpt(item.query, BLOCK_LIMIT)), *_output_blocks(item.output)]
    if item.reference:
        blocks.append(("Reference", json_excerpt(item.reference, BLOCK_LIMIT)))
    if item.context:
        blocks.append(("Context", json_excerpt(msgspec.to_builtins(item.context), BLOCK_LIMIT)))
    if item.tools:
        blocks.append(("Tools", json_excerpt(item.tools, BLOCK_LIMIT)))
    return blocks


def _output_blocks(output: Output) -> list[tuple[str, Excerpt]]:
    blocks: list[tuple[str, Excerpt]] = []
    if output.text is not None:
        blocks.append(("Output", excerpt(output.text, BLOCK_LIMIT) if output.text else Excerpt("(empty)")))
    if output.tool_calls is not None:
        calls = [{"name": call.name, "arguments": call.arguments} for call in output.tool_calls]
        blocks.append(("Native calls", json_excerpt(calls, BLOCK_LIMIT)))
    if output.turns is not None:
        blocks.append(("Turns", json_excerpt(msgspec.to_builtins(output.turns), BLOCK_LIMIT)))
    if output.workspace is not None:
        blocks.append(("Workspace", excerpt(output.workspace, BLOCK_LIMIT)))
    return blocks


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
        raw=None if verdict.raw is None else excerpt(verdict.raw, BLOCK_LIMIT),
    )


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
