"""Examples of weaknesses: a right output, what was planted in it, and the judge's reply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from ...records import Case, ItemKey, Output, ToolCall, ToolResults, message_text
from ..inputs import EvaluationInputs
from .audit_results import JudgeAudit, ShownProbe, WeaknessExample, WrongVerdict
from .ladder.climb import Climb
from .ladder.ladder_results import level_of
from .probe_folder import ProbeFacts
from .scored import ScoredProbe

_MAX_TEXT_LENGTH = 1_600
"""Characters of an output's text in an example, chosen so that the change is within it."""

_MAX_REQUEST_LENGTH = 600
_MAX_REASON_LENGTH = 600
"""Characters of the user's message, and of the judge's reason, in an example."""


_MAX_LISTED_VERDICTS = 30
"""Verdicts listed for one weakness."""
_MAX_LISTED_LENGTH = 200
"""Characters of a change or reason in this list."""


class _MisjudgedProbes(NamedTuple):
    """Wrongly judged probes of a weakness, of ``n`` graded ones; the first is the example."""

    judge: str
    where: str
    wrong: Sequence[ScoredProbe]
    n: int


def weakness_examples(
    audits: Iterable[tuple[JudgeAudit, Sequence[ScoredProbe]]],
    inputs: EvaluationInputs | None,
    climb: Climb | None,
) -> list[WeaknessExample]:
    """Return an example of each weakness that concerns the probes of one operator or dial."""
    weaknesses = [weakness for audit, scored in audits for weakness in _misjudged_by_weakness(audit, scored)]
    if not weaknesses:
        return []
    shown_facts = [weakness.wrong[0].facts for weakness in weaknesses]
    keys = {key for facts in shown_facts for key in (facts.key, facts.source)}
    outputs = {output.key: output for output in (inputs.outputs() if inputs else ()) if output.key in keys}
    cases: dict[str, Case] = {key.case_id: inputs.cases[key.case_id] for key in outputs} if inputs else {}
    if climb is not None:
        items = list(climb.items(key for key in keys - outputs.keys()))
        outputs |= {item.output.key: item.output for item in items}
        cases |= {item.case.id: item.case for item in items}
    return [
        _example(weakness, outputs, cases)
        for weakness, facts in zip(weaknesses, shown_facts, strict=True)
        if facts.key in outputs and facts.source in outputs
    ]


def _misjudged_by_weakness(audit: JudgeAudit, scored: Sequence[ScoredProbe]) -> Iterator[_MisjudgedProbes]:
    for where in dict.fromkeys(finding.where for finding in audit.findings):
        graded_probes = [
            probe for probe in scored if probe.facts.operator == where and probe.score is not None
        ]
        if where in {ladder.dial for ladder in audit.ladders}:
            graded_probes = [probe for probe in graded_probes if not probe.facts.right]
            graded_probes.sort(key=level_of)  # the easiest level comes first
        else:
            graded_probes.sort(key=lambda probe: not probe.reason)  # probes with a reason come first
        misjudged = [probe for probe in graded_probes if probe.passed != probe.facts.right]
        if misjudged:
            yield _MisjudgedProbes(audit.judge, where, misjudged, len(graded_probes))


def _example(
    weakness: _MisjudgedProbes, outputs: Mapping[ItemKey, Output], cases: Mapping[str, Case]
) -> WeaknessExample:
    first = weakness.wrong[0]
    example = shown_probe(first.facts, first.score or 0.0, first.reason, outputs, cases)
    return WeaknessExample(
        **msgspec.structs.asdict(example),
        judge=weakness.judge,
        where=weakness.where,
        wrong=len(weakness.wrong),
        n=weakness.n,
        verdicts=[
            WrongVerdict(
                case_id=probe.facts.key.case_id,
                change=probe.facts.change[:_MAX_LISTED_LENGTH],
                reason=(probe.reason or "")[:_MAX_LISTED_LENGTH],
            )
            for probe in weakness.wrong[:_MAX_LISTED_VERDICTS]
        ],
    )


def shown_probe(
    facts: ProbeFacts,
    score: float,
    reason: str | None,
    outputs: Mapping[ItemKey, Output],
    cases: Mapping[str, Case],
) -> ShownProbe:
    """Return a wrongly judged probe together with its right output.

    Args:
        facts: Facts about the probe.
        score: The judge's score.
        reason: The judge's reason.
        outputs: Outputs that include the probe's and its right one.
        cases: Cases that include the probe's.
    """
    right_text, planted_text = _windows(output_text(outputs[facts.source]), output_text(outputs[facts.key]))
    return ShownProbe(
        case_id=facts.key.case_id,
        plants=facts.plants,
        request=_request(cases[facts.key.case_id])[:_MAX_REQUEST_LENGTH],
        right=right_text,
        planted=planted_text,
        change=facts.change,
        score=score,
        label=facts.label,
        reason=None if reason is None else reason[:_MAX_REASON_LENGTH],
    )


def _request(case: Case) -> str:
    texts = [message_text(message) for turn in case.turns for message in turn if message["role"] == "user"]
    return texts[-1] if texts else ""


def output_text(output: Output) -> str:
    """Return an output as one text: its words, and a line per call."""
    steps: list[Any] = [step for turn in output.turns or () for step in turn]
    lines = [_step_text(step) for step in steps]
    lines += filter(None, (output.text, _calls_text(output.tool_calls or ()), output.error))
    return "\n".join(lines)


def _step_text(step: Any) -> str:
    if isinstance(step, str):
        return step
    if isinstance(step, ToolResults):
        return f"-> {json.dumps(step.results, ensure_ascii=False, default=str)}"
    return _calls_text(step)


def _calls_text(calls: Iterable[ToolCall]) -> str:
    return "\n".join(f"{call.name}({_arguments(call.arguments)})" for call in calls)


def _arguments(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return str(arguments)
    value_by_name = cast("dict[str, Any]", arguments)
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}"
        for name, value in value_by_name.items()
    )


def _windows(right_text: str, planted_text: str) -> tuple[str, str]:
    """Cut both texts to the part around their first difference."""
    if max(len(right_text), len(planted_text)) <= _MAX_TEXT_LENGTH:
        return right_text, planted_text
    first_difference = next(
        (position for position, (a, b) in enumerate(zip(right_text, planted_text, strict=False)) if a != b),
        min(len(right_text), len(planted_text)),
    )
    start = max(0, first_difference - _MAX_TEXT_LENGTH // 4)  # most of the text follows the change
    return _window(right_text, start), _window(planted_text, start)


def _window(text: str, start: int) -> str:
    end = start + _MAX_TEXT_LENGTH
    return f"{'... ' if start else ''}{text[start:end]}{' ...' if len(text) > end else ''}"
