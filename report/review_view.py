"""An output on a review page: request, output, reference, and verdicts that are shown later.

The page's script reads the fields of `ReviewItem` by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..calibration.decisions import drawn_rank
from ..evaluation.labelling.disputes import Opinion
from ..records import Case, ItemKey, Message, Output, ToolCall, ToolResults, Verdict, kind_spec
from ..records.output import turns_asked
from .items.naming import marks_in_words
from .review_compare import ComparedLine, compared
from .text import number_text
from .text.safe_text import Excerpt, any_excerpt, cut_at, excerpt, shortened

MAX_TEXT = 20_000
"""Longest text shown, in characters."""
MAX_OF_PART = 100_000
"""Most characters of a section: of the request, the output, what was given, or the reference."""
MAX_BLOCKS = 200
"""Most texts of a section."""

_MAX_REASON_CHARS = 600
_MAX_NAME_CHARS = 200
_MAX_OPINION_CHARS = 4_000

DECIDE = "Two opinions on this output, in random order. Is the output right?"
"""Question on the page if people decide between label and judge; else it is the kind's (`KindSpec.question`)."""


REQUEST, PRODUCED, GIVEN, RIGHT = "Request", "Output", "Given with the request", "Expected"
"""Titles of the sections, which the page's script places by name."""


class TitledText(msgspec.Struct, frozen=True):
    """A text with its title, cut to size, and the number of hidden characters."""

    title: str
    text: str
    hidden: int = 0


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One output as the page shows it.

    Attributes:
        case_id: As in the records, like the next two, since labels name them.
        system: The system, hidden until answered.
        trial: Number of the attempt.
        evidence: Origin of the output, for the label.
        name: The case's id, as displayed.
        producer: The system's name, as displayed.
        question: Question to the person.
        sections: Titled groups of blocks.
        said: Verdicts of checker and judges, hidden until answered.
        opinions: Opinions to decide between, unnamed and in random order; none otherwise.
        compared: Expected and actual arguments, if these are decided.
        reference: The case's reference as JSON, for correction; empty if too long.
    """

    case_id: str
    system: str
    trial: int
    evidence: dict[str, Any]
    name: str
    producer: str
    question: str
    sections: list[tuple[str, list[TitledText]]]
    said: list[TitledText]
    opinions: list[TitledText] = []
    compared: list[ComparedLine] = []
    reference: str = ""


def review_item(
    case: Case,
    output: Output,
    verdicts: Iterable[Verdict],
    evidence: dict[str, Any],
    opinions: tuple[Opinion, Opinion] | None = None,
) -> ReviewItem:
    """Build the review item of an output, with texts cut to this module's limits.

    Args:
        case: Its case.
        output: The output.
        verdicts: Verdicts on it, shown after the person has answered.
        evidence: How the output was drawn, which becomes part of the label.
        opinions: Two opinions to decide between, if that is the question.
    """
    key: ItemKey = output.key
    sections = {
        REQUEST: _bounded(_request_blocks(case, output)),
        PRODUCED: _bounded(_output_blocks(output)),
        GIVEN: _bounded(_given_blocks(case)),
        RIGHT: _bounded(_reference_blocks(case)),
    }
    return ReviewItem(
        case_id=key.case_id,
        system=key.system,
        trial=key.trial,
        evidence=evidence,
        name=shortened(key.case_id, _MAX_NAME_CHARS),
        producer=shortened(key.system, _MAX_NAME_CHARS) + (f", trial {key.trial}" if key.trial else ""),
        question=DECIDE if opinions is not None else kind_spec(case.kind).question,
        sections=[(title, blocks) for title, blocks in sections.items() if blocks],
        said=_bounded(_titled_verdict(verdict) for verdict in verdicts),
        opinions=[] if opinions is None else _unnamed(str(key), opinions),
        compared=[] if opinions is None else compared(case, output),
        reference="" if opinions is None else _editable(case.reference),
    )


def _editable(reference: dict[str, Any]) -> str:
    """Return a reference as ASCII JSON to be edited; empty if it is too long."""
    text = json.dumps(reference, indent=1, default=str)
    return text if len(text) <= MAX_TEXT else ""


def _unnamed(item: str, opinions: tuple[Opinion, Opinion]) -> list[TitledText]:
    """Return two opinions without their authors, in a random but reproducible order."""
    texts = [
        f"The output is {'right' if opinion.right else 'wrong'}. {marks_in_words(opinion.reason)}".strip()
        for opinion in opinions
    ]
    texts.sort(key=lambda text: drawn_rank(f"{item}|{text}", 0))
    excerpts = [excerpt(text, _MAX_OPINION_CHARS) for text in texts]
    return [
        TitledText(title, opinion.text, opinion.hidden)
        for title, opinion in zip(("One opinion", "Another opinion"), excerpts, strict=True)
    ]


def _bounded(blocks: Iterable[tuple[str, Excerpt]]) -> list[TitledText]:
    """Cut the blocks of a section to its limits, and say how many are left out."""
    shown_texts: list[TitledText] = []
    remaining_chars, left_out = MAX_OF_PART, 0
    for title, (text, hidden) in blocks:
        if len(shown_texts) == MAX_BLOCKS or remaining_chars <= 0:
            left_out += 1
            continue
        shown_part = cut_at(text, remaining_chars)
        shown_texts.append(
            TitledText(shortened(title, _MAX_NAME_CHARS), shown_part, hidden + len(text) - len(shown_part))
        )
        remaining_chars -= len(text)
    if left_out:
        them = "it" if left_out == 1 else "them"
        note = f"{number_text.counted(left_out, 'more part')}; the records hold {them}"
        shown_texts.append(TitledText("Not shown", note))
    return shown_texts


def _request_blocks(case: Case, output: Output) -> Iterator[tuple[str, Excerpt]]:
    if kind_spec(case.kind).family == "workspace":
        yield "task", _value(case.reference.get("task", ""))
    turns = turns_asked(case, output)
    for number, turn in enumerate(turns, start=1):
        for message in turn:
            yield (f"Turn {number}: " if len(turns) > 1 else "") + str(message["role"]), _message(message)


def _given_blocks(case: Case) -> Iterator[tuple[str, Excerpt]]:
    for item in case.context:
        yield f"Context {item.id}", _context(item.request, item.content)
    if case.tools:
        functions = [tool["function"] for tool in case.tools]
        yield f"Functions ({len(functions)})", _value(functions)


def _message(message: Message) -> Excerpt:
    other_fields = {name: value for name, value in message.items() if name not in {"role", "content"}}
    content = message.get("content")
    if isinstance(content, str) and not other_fields:
        return _value(content)
    return _value(other_fields | ({} if content is None else {"content": content}))


def _context(request: Any, content: Any) -> Excerpt:
    shown = _value(content)
    if request is None:
        return shown
    return Excerpt(f"asked: {_value(request).text}\n\n{shown.text}", shown.hidden)


def _output_blocks(output: Output) -> Iterator[tuple[str, Excerpt]]:
    if output.text is not None:
        yield "Text", _value(output.text)
    if output.tool_calls is not None:
        yield from _calls("Call", output.tool_calls)
    for number, turn in enumerate(output.turns or [], start=1):
        for step, reply in enumerate(turn, start=1):
            title = f"Turn {number}, step {step}"
            if isinstance(reply, str):
                yield title, _value(reply)
            elif isinstance(reply, ToolResults):
                yield f"{title}, results", _value(reply.results)
            else:
                yield from _calls(f"{title}, call", reply)
        if not turn:
            yield f"Turn {number}", Excerpt("(nothing)")
    if output.workspace is not None:
        yield "Folder of files", _value(output.workspace)


def _calls(title: str, calls: list[ToolCall]) -> Iterator[tuple[str, Excerpt]]:
    if not calls:
        yield title, Excerpt("(no call)")
    for number, call in enumerate(calls, start=1):
        arguments = _value(_decoded(call.arguments))
        yield (
            f"{title} {number}",
            Excerpt(f"{shortened(call.name, _MAX_NAME_CHARS)}\n{arguments.text}", arguments.hidden),
        )


def _decoded(arguments: dict[str, Any] | str) -> Any:
    """Decode arguments in JSON text, if showing them as an object changes only blanks."""
    if not isinstance(arguments, str) or len(arguments) > MAX_TEXT:
        return arguments
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    same = json.dumps(value, ensure_ascii=False, separators=(",", ":")) == "".join(arguments.split())
    return value if same else arguments


def _reference_blocks(case: Case) -> Iterator[tuple[str, Excerpt]]:
    family = kind_spec(case.kind).family
    if family == "grounded":
        return  # it says which claims are supported, which the person is to decide
    for name, value in case.reference.items():
        if (family, name) != ("workspace", "task"):
            yield name, _value(value)


def _titled_verdict(verdict: Verdict) -> tuple[str, Excerpt]:
    grade = verdict.outcome.replace("_", " ") if verdict.score is None else number_text.decimal(verdict.score)
    why = f"{verdict.error_type or ''} {marks_in_words(verdict.reason or '')}".strip()
    title = f"{verdict.source} {shortened(verdict.by, _MAX_NAME_CHARS)}"
    return title, excerpt(f"{grade}  {why}".strip(), _MAX_REASON_CHARS)


def _value(value: Any) -> Excerpt:
    return any_excerpt(value, MAX_TEXT)
