"""Blocks of an item for reading: conversation, calls, accepted calls, passages, reference.

An item is a case with the output of a system. `view` adds its verdicts. Texts are cut to this module's limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...records import Message, Output, StepOutcome, ToolCall, ToolResults, Verdict, kind_spec
from ...records.output import turns_asked
from ..document import Columns, Details, Piece, TextRole, Verbatim
from ..document_parts import Cell, DocumentTable
from ..model import ReportItem
from ..text.number_text import counted
from ..text.safe_text import any_excerpt, json_excerpt, shortened
from .naming import NAME_LIMIT
from .pictures import with_pictures

if TYPE_CHECKING:
    from .call_diff import ArgumentDiff, CallDiff


_JUDGE_CITATIONS = re.compile(r"\bindexes \[([^\]\[]{0,300})\]")
"""How judges of groundedness name the passages that support a statement."""
_ANSWER_CITATIONS = re.compile(r"\[([^\]\[]{1,100})\]")
"""How answers cite passages; lengths are bounded, so that matching takes linear time."""


def cited(
    ids: Sequence[str], answer: str, reference: dict[str, Any], judges: Iterable[Verdict]
) -> list[list[str]]:
    """Return, for each passage, who cites it, by its id or its number from 1.

    A number that is also the id of a passage cites only that one.

    Args:
        ids: The passages.
        answer: The system's answer.
        reference: The case's reference, whose claims may cite passages.
        judges: Verdicts, whose reasons may cite passages.
    """
    all_ids = set(ids)
    names_by_passage = [{id_} | ({str(number)} - all_ids) for number, id_ in enumerate(ids, start=1)]
    citations: list[tuple[str, set[str]]] = [
        ("the answer", _cited_in(_ANSWER_CITATIONS, answer)),
        ("a right claim", _cited_by_claims(reference)),
    ]
    citations += [(verdict.by, _cited_in(_JUDGE_CITATIONS, verdict.reason or "")) for verdict in judges]
    return [
        [author for author, cited_names in citations if cited_names & names] for names in names_by_passage
    ]


def _cited_in(pattern: re.Pattern[str], text: str) -> set[str]:
    return {part.strip() for citation in pattern.findall(text) for part in citation.split(",")}


def _cited_by_claims(reference: dict[str, Any]) -> set[str]:
    """Return the passages that supported claims cite; a reference may have any form."""
    claims = reference.get("claims")
    indexes: set[str] = set()
    for claim in cast("list[Any]", claims) if isinstance(claims, list) else []:
        if isinstance(claim, dict):
            claim_fields = cast("dict[str, Any]", claim)
            claim_indexes = claim_fields.get("indexes")
            if claim_fields.get("supported") is True and isinstance(claim_indexes, list):
                indexes |= {str(index) for index in cast("list[Any]", claim_indexes)}
    return indexes


BLOCK_LIMIT = 6_000
"""Longest text in characters: a message, an output, a reference, a judge's reply."""
_VALUE_LIMIT = 400
"""Longest value of an argument, in characters."""
_MAX_BLOCKS = 200
"""Most messages, steps or passages that are shown."""


def verbatim(title: str, value: Any, role: TextRole = "text") -> Verbatim:
    """Return a block with a text, or any other value as JSON, cut to size."""
    cut = any_excerpt(value, BLOCK_LIMIT)
    return Verbatim(shortened(title, NAME_LIMIT), cut.text, cut.hidden, role)


def first_pieces(pieces: Iterable[Piece], noun: str) -> Iterator[Piece]:
    """Yield the first pieces, then a count of the hidden ones; ``noun`` is for one of them."""
    remaining = iter(pieces)
    yield from islice(remaining, _MAX_BLOCKS)
    if hidden := sum(1 for _ in remaining):
        yield f"{counted(hidden, f'more {noun}')} not shown here; the records hold {'it' if hidden == 1 else 'them'}."


class ItemBlocks(NamedTuple):
    """An item's blocks in the order of reading.

    Attributes:
        answer: The system's answer and what is expected; of a conversation with several turns, also the messages.
        request: The messages that the system was given; empty if they are part of ``answer``.
        below: Passages, calls as written, and functions.
    """

    answer: list[Piece]
    request: list[Piece]
    below: list[Piece]


def item_blocks(item: ReportItem) -> ItemBlocks:
    """Lay out an item's answer, reference and request."""
    reference: list[Piece] = [verbatim("Expected", item.case.reference)] if item.case.reference else []
    if item.missing:
        no_output = f"{item.output.system} has no output for this case."
        return ItemBlocks([no_output, *reference], request_blocks(item), [])
    diffs = _call_diffs(item)
    raw_output = list(_raw_output(item.output))
    pieces_before: list[Piece] = (
        [] if item.output.error is None else [verbatim("The system ended with", item.output.error)]
    )
    pieces_below: list[Piece] = [*first_pieces(_passages(item), "passage")]
    if diffs and (raw_blocks := [*raw_output, *reference]):
        pieces_below.append(Details("The calls as they were written, and what is expected", raw_blocks))
    if item.case.tools:
        functions = verbatim("Function documents", item.case.tools)
        pieces_below.append(Details(f"Functions ({len(item.case.tools)})", [functions]))
    if diffs:
        pieces_before += map(_diff_table, diffs)
    if max(len(item.case.turns), len(item.output.turns or ())) > 1:
        answer_without_diffs = [] if diffs else [*reference, *raw_output]
        return ItemBlocks(
            [*pieces_before, *answer_without_diffs, *first_pieces(_conversation(item), "message")],
            [],
            pieces_below,
        )
    steps = list(first_pieces(_turn_steps(item, 0, ""), "step"))
    answer_pieces = (
        [*pieces_before, *steps]
        if diffs
        else [*_side_by_side([*pieces_before, *steps, *raw_output], reference)]
    )
    return ItemBlocks(answer_pieces, request_blocks(item), pieces_below)


def _side_by_side(answer: Sequence[Piece], reference: Sequence[Piece]) -> Sequence[Piece]:
    return [Columns([Columns(answer), Columns(reference)])] if answer and reference else [*answer, *reference]


def request_blocks(item: ReportItem) -> list[Piece]:
    """Return blocks of the messages that the agent was given."""
    messages = (
        piece
        for turn in turns_asked(item.case, item.output)
        for message in turn
        for piece in _message_pieces("", message)
    )
    return list(first_pieces(messages, "message"))


def answer_blocks(item: ReportItem, title: str) -> list[Piece]:
    """Return blocks of what a system answered, each titled ``title``."""
    if item.output.error is not None:
        return [verbatim(f"{title}, ended with", item.output.error)]
    pieces: list[Piece] = [
        verbatim(title, content, "agent")
        for content in (item.output.text, _calls_as_json(item.output.tool_calls or ()), item.output.workspace)
        if content
    ]
    episodes = item.episode or ()
    for number, steps in enumerate(item.output.turns or ()):
        outcomes = episodes[number] if number < len(episodes) else ()
        pieces += _step_pieces(f"{title}, turn {number + 1}: ", steps, outcomes)
    return pieces or [verbatim(title, "(nothing)", "agent")]


def first_line(output: Output) -> str:
    """Return an output in one text for a list: its error, text, or first calls."""
    if output.error is not None:
        return f"error: {output.error}"
    if output.text:
        return output.text
    steps = [step for turn in output.turns or () for step in turn if not isinstance(step, ToolResults)]
    calls = output.tool_calls or next((step for step in steps if not isinstance(step, str)), None)
    if calls:
        return ", ".join(f"{call.name}({_arguments_text(call.arguments)})" for call in calls)
    text = next((step for step in steps if isinstance(step, str)), None)
    return text or output.workspace or "(nothing)"


def expected_line(item: ReportItem) -> str:
    """Return what is expected in one text: accepted calls, else the reference; may be empty."""
    accepted = [
        f"{diff.accepted}({', '.join(f'{argument.name}={_accepted_text(argument.accepted)}' for argument in diff.arguments if argument.accepted is not None)})"
        for diff in _call_diffs(item)
        if diff.accepted is not None
    ]
    if accepted or not item.case.reference:
        return ", ".join(accepted)
    values = list(item.case.reference.values())
    return any_excerpt(values[0] if len(values) == 1 else item.case.reference, BLOCK_LIMIT).text


def _arguments_text(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return str(arguments)
    values = cast("dict[str, Any]", arguments)
    return ", ".join(f"{name}={_value_text(value)}" for name, value in values.items())


def _call_diffs(item: ReportItem) -> list[CallDiff]:
    """Compare an item's calls with accepted ones; empty for kinds of cases without them."""
    if not kind_spec(item.case.kind).compared:
        return []
    from .call_diff import call_diffs  # noqa: PLC0415 - other kinds of cases need no checker

    return call_diffs(item.case, item.output)


def _raw_output(output: Output) -> Iterator[Piece]:
    if output.text is not None:
        yield verbatim("Output", output.text, "agent")
    if output.tool_calls is not None:
        yield verbatim("Native calls", _calls_as_json(output.tool_calls), "agent")
    if output.workspace is not None:
        yield verbatim("Folder of files", output.workspace, "agent")


def _conversation(item: ReportItem) -> Iterator[Piece]:
    """Yield the conversation turn by turn: messages, then the agent's steps and their results."""
    turns, steps = item.case.turns, item.output.turns or []
    has_several_turns = max(len(turns), len(steps)) > 1
    for turn_index in range(max(len(turns), len(steps))):
        title_start = f"Turn {turn_index + 1}: " if has_several_turns else ""
        for message in turns[turn_index] if turn_index < len(turns) else []:
            yield from _message_pieces(title_start, message)
        yield from _turn_steps(item, turn_index, title_start)


def _turn_steps(item: ReportItem, turn_index: int, title_start: str) -> Iterator[Piece]:
    """Yield the agent's steps in a turn; none if the output has fewer turns."""
    turns, episode = item.output.turns or (), item.episode or ()
    if turn_index < len(turns):
        yield from _step_pieces(
            title_start, turns[turn_index], episode[turn_index] if turn_index < len(episode) else ()
        )


_FOLDED_ROLES = frozenset({"system", "developer"})
"""Roles whose messages are the same in most items and therefore folded."""


def _message_pieces(title_start: str, message: Message) -> Iterator[Piece]:
    """Yield a message, and the images in it; a system prompt is folded."""
    other_fields = {name: value for name, value in message.items() if name not in {"role", "content"}}
    content, images = with_pictures(message.get("content"))
    content_shown = (
        content if isinstance(content, str) and not other_fields else other_fields | {"content": content}
    )
    role = str(message["role"])
    message_block = verbatim(f"{title_start}{role}", content_shown, "user" if role == "user" else "text")
    if role in _FOLDED_ROLES:
        length = counted(len(message_block.text) + message_block.hidden, "character")
        yield Details(f"{message_block.title} prompt ({length})", [message_block, *images])
        return
    yield message_block
    yield from images


def _step_pieces(title_start: str, steps: Sequence[Any], outcomes: Sequence[StepOutcome]) -> Iterator[Piece]:
    """Yield the agent's steps in a turn, with results of its calls.

    Args:
        title_start: Beginning of titles, such as ``Turn 1: ``.
        steps: Texts, lists of calls, and results if the output has them.
        outcomes: Results of executing the calls again, one per text or list of calls; shown if the output has none.
    """
    outcome_index = 0
    if not steps:
        yield verbatim(f"{title_start}agent", "(nothing)", "agent")
    has_results = any(isinstance(step, ToolResults) for step in steps)
    for step in steps:
        if isinstance(step, ToolResults):
            results, images = with_pictures(step.results)
            yield verbatim(f"{title_start}results", results, "result")
            yield from images
            continue
        if isinstance(step, str):
            yield verbatim(f"{title_start}agent", step, "agent")
        else:
            yield verbatim(f"{title_start}agent calls", _calls_as_json(step), "agent")
        outcome = outcomes[outcome_index] if outcome_index < len(outcomes) else StepOutcome()
        outcome_index += 1
        if outcome.problem is not None:
            yield verbatim(f"{title_start}not executed", outcome.problem, "result")
        elif outcome.calls and not has_results:
            lines = (
                f"{call} -> {result}" for call, result in zip(outcome.calls, outcome.results, strict=False)
            )
            yield verbatim(f"{title_start}executed again", "\n".join(lines), "result")


def _calls_as_json(calls: Iterable[ToolCall]) -> Any:
    return [{"name": call.name, "arguments": call.arguments} for call in calls]


def _diff_table(diff: CallDiff) -> DocumentTable:
    called, accepted = diff.made or "nothing was called", diff.accepted or "no matching call"
    is_same_function = diff.made == diff.accepted
    head = (
        "argument",
        Cell(_short_name(called), "called"),
        Cell(_short_name(accepted), "nearest accepted call"),
    )
    rows = [_argument_row(argument) for argument in diff.arguments]
    if not rows:
        rows = [("function" if not is_same_function else "no argument", Cell("", mark=None), Cell(""))]
    caption = "As accepted" if diff.fits else "Differs from the nearest accepted call"
    return DocumentTable(head, rows, caption=caption, left_aligned=frozenset({0, 1, 2}))


def _argument_row(argument: ArgumentDiff) -> tuple[str | Cell, ...]:
    called = "left out" if argument.given is None else _value_text(argument.given.value)
    accepted = "must not be given" if argument.accepted is None else _accepted_text(argument.accepted)
    return (
        _short_name(argument.name),
        Cell(called, mark="right" if argument.fits else "wrong"),
        Cell(accepted),
    )


def _accepted_text(values: Sequence[Any] | str) -> str:
    if isinstance(values, str):
        return shortened(values, _VALUE_LIMIT)
    texts = ["may be left out" if value == "" else _value_text(value) for value in values]
    return shortened(" or ".join(texts), _VALUE_LIMIT)


def _value_text(value: Any) -> str:
    return shortened(json_excerpt(value, _VALUE_LIMIT).text, _VALUE_LIMIT)


def _short_name(name: str) -> str:
    return shortened(name, NAME_LIMIT)


def _passages(item: ReportItem) -> Iterator[Piece]:
    context = item.case.context
    if not context:
        return
    authors = cited(
        [passage.id for passage in context],
        item.output.text or "",
        item.case.reference,
        item.judges,
    )
    for passage, cited_by in zip(context, authors, strict=True):
        request_note = "" if passage.request is None else f", asked for by {_request_text(passage.request)}"
        citation_note = f"; referred to by {', '.join(cited_by)}" if cited_by else ""
        content, images = with_pictures(passage.content)
        yield verbatim(
            f"Passage {passage.id}{request_note}{citation_note}", content, "cited" if cited_by else "text"
        )
        yield from images


def _request_text(request: Any) -> str:
    return request if isinstance(request, str) else json.dumps(request, ensure_ascii=False, default=str)
