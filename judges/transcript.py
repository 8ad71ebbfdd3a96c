"""Transcript of a conversation: a JSON object per line, so no text can pose as another.

``{"turn", "tools_added"}``
    Tools that were withheld until this turn.
``{"turn", "asked"}``
    A message that the agent was given.
``{"turn", "agent"}``
    A text by the agent, or null for a step with neither calls nor a recorded text.
``{"turn", "call", "result"}``
    A call, and its result in the case's world, if known. ``not_executed`` says why it was not executed. If the output records
    another result, that is ``recorded``, with a note ``mismatch``.

If steps are numbered, each line of the agent has its ``step``, counted from 1 over the whole conversation. One step is a text with
its calls, several calls made at once, or a turn in which the agent did nothing.

Messages, texts and calls are shown in full. Each result is cut to `RESULT_LIMIT` characters. If all results together exceed
`RESULTS_LIMIT`, the longest are cut to an equal length, so that they fit. A cut result shows its beginning (three quarters of the
limit) and its end; ``..._left_out`` is the number of characters between them. A last line says how many results are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import Any, NamedTuple, TypeAlias

from ..records import AgentStep, Case, Episode, Output, Step, StepOutcome, ToolCall, ToolResults, kind_spec
from ..records.output import turns_asked, turns_done
from .as_json import call_text, dumps, json_object, step_text

TRANSCRIPT_VERSION = "results/1"
"""Part of the fingerprint of judges that see transcripts. Change it when a conversation is shown differently."""

RESULT_LIMIT = 4_000
"""Maximum characters of one result."""

RESULTS_LIMIT = 60_000
"""Maximum characters of all results of a conversation together."""

MISMATCH = "the result that the output records is not what the call gives in the simulated world"

_NO_OUTCOME = StepOutcome()


class _Result(NamedTuple):
    """A call's result: its text, whose length counts, and its JSON."""

    text: str
    json: str


class _Line:
    """Line of a transcript. Its fields are JSON texts, or results that may have to be cut."""

    def __init__(self, turn: int, step: int | None = None, **fields: str | _Result) -> None:
        number = {} if step is None else {"step": str(step)}
        self.fields: dict[str, str | _Result] = {"turn": str(turn), **number, **fields}

    def add_recorded(self, recorded: Any) -> None:
        """Add the recorded result: as the result if none is known, else only if it differs."""
        executed = self.fields.get("result")
        if executed is None and "not_executed" not in self.fields:
            self.fields["result"] = _result(recorded)
        elif not isinstance(executed, _Result) or not _is_same(executed, recorded):
            self.fields["recorded"] = _result(recorded)
            self.fields["mismatch"] = dumps(MISMATCH)

    def results(self) -> list[_Result]:
        """Return the fields that may have to be cut."""
        return [field for field in self.fields.values() if isinstance(field, _Result)]

    def text(self, limit: int) -> str:
        pairs = chain.from_iterable(_cut(name, field, limit) for name, field in self.fields.items())
        return "{" + ", ".join(f'"{name}": {text}' for name, text in pairs) + "}"


def transcript(case: Case, output: Output, episode: Episode | None = None, *, numbered: bool = False) -> str:
    """Return the transcript of a conversation, one JSON object per line.

    Results come from ``episode``, in which the calls were executed, or else from the output. With ``numbered``, the agent's steps are
    numbered, as `steps_by_turn` counts them.
    """
    lines = list(_lines(case, output, episode or (), count(1) if numbered else repeat(None)))
    results = [result for line in lines for result in line.results()]
    limit = _equal_share([len(result.text) for result in results], RESULT_LIMIT, RESULTS_LIMIT)
    texts = [line.text(limit) for line in lines]
    n_cut = sum(len(result.text) > limit for result in results)
    if n_cut:
        note = f"{n_cut} of {len(results)} results are longer than {limit} characters and shown in part"
        texts.append(f'{{"note": {dumps(note)}}}')
    return "\n".join(texts)


def transcript_of_calls(case: Case, output: Output) -> str:
    """Return the transcript without results: the first format, which older prompts still use."""
    lines: list[str] = []
    requests, steps = turns_asked(case, output), turns_done(output)
    for turn in range(max(len(requests), len(steps))):
        request = requests[turn] if turn < len(requests) else ()
        steps_of_turn = steps[turn] if turn < len(steps) else ()
        agent_steps = [step for step in steps_of_turn if not isinstance(step, ToolResults)]
        lines.extend(f'{{"turn": {turn + 1}, "asked": {dumps(message)}}}' for message in request)
        lines.extend(f'{{"turn": {turn + 1}, "agent": {step_text(step)}}}' for step in agent_steps)
    return "\n".join(lines)


def tools_at_start(case: Case) -> list[dict[str, Any]]:
    """Return the tools that are on offer in the first turn, without those withheld at first."""
    withheld = set(chain.from_iterable(_withheld(case).values()))
    return [tool for tool in case.tools if tool["function"]["name"] not in withheld]


def _tools_added(case: Case, turn: int) -> list[dict[str, Any]]:
    """Return the tools that were withheld until this turn, or only the name of an unknown one."""
    names = _withheld(case).get(str(turn), ())
    definitions = {
        tool["function"]["name"]: tool
        for tool in [*case.tools, *case.reference.get("withheld_tools", ())]
        if names
    }
    return [definitions.get(name, {"type": "function", "function": {"name": name}}) for name in names]


def _withheld(case: Case) -> Mapping[str, Sequence[str]]:
    if kind_spec(case.kind).family != "conversation":
        return {}
    return case.reference.get("withheld") or {}


_StepNumbers: TypeAlias = Iterator[int] | Iterator[None]
"""Numbers of the steps, or endless None if steps are not numbered."""


def _lines(case: Case, output: Output, episode: Episode, numbers: _StepNumbers) -> Iterator[_Line]:
    asked, turns = turns_asked(case, output), turns_done(output)
    for index in range(max(len(asked), len(turns))):
        number = index + 1
        added = _tools_added(case, index)
        if added:
            yield _Line(number, tools_added=dumps(added))
        if index < len(asked):
            yield from (_Line(number, asked=dumps(message)) for message in asked[index])
        steps = turns[index] if index < len(turns) else ()
        outcomes = episode[index] if index < len(episode) else ()
        if steps:
            yield from _turn_lines(number, steps, outcomes, numbers)
        else:
            yield _Line(number, next(numbers), agent="null")


def _turn_lines(
    turn: int, steps: Sequence[Step], outcomes: Sequence[StepOutcome], numbers: _StepNumbers
) -> list[_Line]:
    """Return the lines of a turn; a recorded result is added to the line of its call."""
    lines: list[_Line] = []
    without_result: list[_Line] = []
    remaining_outcomes = iter(outcomes)
    for step in steps:
        if isinstance(step, ToolResults):
            n_calls = len(without_result)
            # An output may record fewer results than calls, or more.
            for line, recorded in zip(without_result, step.results, strict=False):
                line.add_recorded(recorded)
            lines += [_Line(turn, result=_result(recorded)) for recorded in step.results[n_calls:]]
            without_result = []
        else:
            step_number = _StepNumber(turn, next(numbers))
            outcome = next(remaining_outcomes, _NO_OUTCOME)
            text_lines, call_lines = _step_lines(step_number, step, outcome)
            lines += [*text_lines, *call_lines]
            without_result += call_lines
    return lines


class _StepNumber(NamedTuple):
    """Turn of a step, and its number if steps are numbered."""

    turn: int
    step: int | None


def _step_lines(
    number: _StepNumber, step: AgentStep, outcome: StepOutcome
) -> tuple[list[_Line], list[_Line]]:
    """Return the lines of a step's text, and those of its calls."""
    calls: Sequence[str | ToolCall] = outcome.calls if isinstance(step, str) else step
    call_lines: list[_Line] = []
    for index, call in enumerate(calls):
        line = _Line(*number, call=dumps(call) if isinstance(call, str) else call_text(call))
        if index < len(outcome.results):
            line.fields["result"] = _result(outcome.results[index])
        elif outcome.problem is not None:
            line.fields["not_executed"] = dumps(outcome.problem)
        call_lines.append(line)
    if isinstance(step, str):
        text_line = _Line(*number, agent=dumps(step))
        if outcome.problem is not None:
            text_line.fields["not_executed"] = dumps(outcome.problem)
        return [text_line], call_lines
    return [] if call_lines else [_Line(*number, agent="null")], call_lines


def _result(value: Any) -> _Result:
    """Return a result; a text that is a JSON object is shown as the object."""
    if not isinstance(value, str):
        return _Result(dumps(value), dumps(value))
    parsed = json_object(value)
    return _Result(value, dumps(value)) if parsed is None else _Result(dumps(parsed), dumps(parsed))


def _is_same(executed: _Result, recorded: Any) -> bool:
    recorded_result = _result(recorded)
    return executed.text.strip() in {recorded_result.text.strip(), str(recorded).strip()}


def _cut(name: str, field: str | _Result, limit: int) -> Iterator[tuple[str, str]]:
    if isinstance(field, str):
        yield name, field
    elif len(field.text) <= limit:
        yield name, field.json
    else:
        end_length = limit // 4  # a quarter of the limit shows the end
        yield name, dumps(field.text[: limit - end_length])
        yield f"{name}_left_out", dumps(f"{len(field.text) - limit} characters")
        yield f"{name}_end", dumps(field.text[len(field.text) - end_length :])


def _equal_share(lengths: Sequence[int], limit: int, total_limit: int) -> int:
    """Return the largest limit, up to ``limit``, that keeps all texts within ``total_limit``."""
    remaining = total_limit
    # Short texts first: the part of the total that they do not use goes to the longer texts.
    for index, length in enumerate(sorted(min(length, limit) for length in lengths)):
        share = remaining // (len(lengths) - index)
        if length > share:
            return share
        remaining -= length
    return limit
