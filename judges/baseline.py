"""The word overlap baseline: a judge without a language model that compares words.

It is the control that a real judge has to beat. Every rule compares sets of lower-case words. Nothing is parsed, so the
notation of calls makes no difference. Content words have a digit or at least three letters.

==================== =====================================================================================================
judge                score
==================== =====================================================================================================
tool_call_accuracy   of the parameters that the called tools require, the share that the calls name,
                     times the share of the calls' other content words that occur in the request; 0 for calls of other
                     tools. No call: 1 minus the largest share of a tool's own words (name and description) that occur
                     in the request. In names of tools, dots and underscores are alike.
groundedness         the share of the answer's content words that occur in the context
memory_answer        the largest share of an accepted answer's words that occur in the answer
web_search_answer    as memory_answer
task_completion      the share of the request's content words that occur in what the agent did
rubric               the share of the criterion's content words that occur in the answer
==================== =====================================================================================================

Scores are fractions in [0, 1]; the same item always gets the same score.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import msgspec

from ..errors import UsageError
from ..records import NO_USAGE, Case, JudgeId, Kind, KindFamily, Output, Verdict, kind_spec
from .catalogue import JUDGED_KINDS, find_prompt, is_prompt_file
from .prompt_variables import INPUT_BUILDERS, NotApplicableError
from .transcript import transcript_of_calls

if TYPE_CHECKING:
    from .judge import ModelClient, Work

MODEL = "baseline"
"""Model name in the baseline's id."""

VARIANT = "lexical"
"""Variant in the baseline's id."""


def is_baseline_name(judge: str) -> bool:
    """Return whether a display name is that of a word overlap baseline."""
    return judge.endswith(f"/{VARIANT}@{MODEL}")


_VERSION = 1
"""Version of the rules, part of the baseline's fingerprint. Increment it when a rule changes any score."""

_WORD = re.compile(r"\w+")
_MIN_WORD_LENGTH = 3
"""Shorter words without a digit are no content words."""


@dataclass(frozen=True)
class WordJudge:
    """The word overlap baseline of a shipped judge."""

    id: JudgeId
    by: str
    pass_at: float | None = None

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of case of the shipped judge."""
        return JUDGED_KINDS[self.id.name]

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, by=by)

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output by its words; see `Judge`.

        No model is called, and every repetition gives the same verdict.
        """
        del client, repeat
        return msgspec.structs.replace(baseline_verdict(case, output, self.id.name), by=self.by)

    async def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; see `Judge`."""
        for case, output, _ in work:
            yield await self.verdict(case, output, client)


def baseline_judge(spec: str) -> WordJudge:
    """Return the word overlap baseline for a shipped judge.

    The variant in ``spec`` makes no difference, since the baseline reads no prompt.

    Raises:
        UsageError: There is no such judge, or the baseline has no rule for it.
    """
    name = spec.removesuffix(f"/{VARIANT}")
    if not is_prompt_file(name):
        name = find_prompt(name)[0].judge
    if name not in JUDGED_KINDS:
        names = ", ".join(JUDGED_KINDS)
        raise UsageError(f"the baseline has no rule for the judge {spec!r}; it has rules for {names}")
    judge_id = baseline_id(name)
    return WordJudge(judge_id, judge_id.plain)


def has_rule(judge: JudgeId) -> bool:
    """Return whether the baseline has a rule for a judge. Only shipped judges have one."""
    return judge.kind == "shipped" and judge.name in JUDGED_KINDS


@cache
def baseline_id(judge: str) -> JudgeId:
    """Return the id of the word overlap baseline for a shipped judge."""
    settings = json.dumps([judge, _VERSION])
    fingerprint = hashlib.sha256(settings.encode()).hexdigest()
    return JudgeId(kind="baseline", name=judge, variant=VARIANT, model=MODEL, fingerprint=fingerprint)


def baseline_verdict(case: Case, output: Output, judge: str = "tool_call_accuracy") -> Verdict:
    """Judge one output by its words.

    The verdict is ``not_applicable`` if the item lacks a field that the rule compares.
    """
    judge_id = baseline_id(judge)
    score, reason = None, None
    try:
        score, reason = _rule_of(judge)(case, output)
    except NotApplicableError as error:
        reason = str(error)
    return Verdict.on(
        output.key,
        by=judge_id.plain,
        source="judge",
        outcome="not_applicable" if score is None else "graded",
        score=score,
        reason=reason,
        usage=NO_USAGE,
        judge=judge_id,
    )


def _tool_calls(case: Case, output: Output) -> tuple[float, str]:
    # Names of tools are compared with dots as underscores, which some providers require.
    request = _words(_value("query", case, output))
    text = _value("tool_calls", case, output)
    call_words, normalised_words = _words(text), _words(text.replace(".", "_"))
    functions = [tool["function"] for tool in case.tools]
    called = [
        function for function in functions if _words(function["name"].replace(".", "_")) <= normalised_words
    ]
    if output.tool_calls and not called:
        return 0.0, "the calls name no tool that was on offer"
    if not called:
        largest = max((_share(_own_words(function), request) for function in functions), default=0.0)
        return (
            1 - largest,
            f"no tool is named; the likeliest shares {largest:.2f} of its words with the request",
        )
    required = {str(name) for function in called for name in _parameters(function).get("required") or ()}
    present_names = {name for name in required if _words(name) <= call_words}
    share_present = _share(required, present_names, of_nothing=1.0)
    vocabulary = {"name", "arguments"}.union(*(_words_of_names(function) for function in called))
    argument_words = _content_words(call_words - vocabulary)
    share_grounded = _share(argument_words, request, of_nothing=1.0)
    return (
        share_present * share_grounded,
        f"{share_present:.2f} of required parameters named, {share_grounded:.2f} of given words occur in the request",
    )


def _groundedness(case: Case, output: Output) -> tuple[float, str]:
    return _overlap(
        "of the answer's words occur in the context",
        _value("response", case, output),
        _value("search_results", case, output),
    )


def _answer(case: Case, output: Output) -> tuple[float, str]:
    _value("accepted_answers", case, output)  # called for its NotApplicableError if there are none
    answer = _words(_value("response", case, output))
    best = max(_share(_words(str(accepted)), answer) for accepted in case.reference["answers"])
    return best, f"{best:.2f} of an accepted answer's words occur in the answer"


def _task_completion(case: Case, output: Output) -> tuple[float, str]:
    # The transcript is made for a case without messages. Otherwise it would repeat the request, and contain all of its words.
    case_without_request = Case(id=case.id, kind=case.kind)
    return _overlap(
        "of the request's words occur in what the agent did",
        _value("query", case, output),
        transcript_of_calls(case_without_request, output),
    )


def _rubric(case: Case, output: Output) -> tuple[float, str]:
    return _overlap(
        "of the criterion's words occur in the answer",
        _value("criterion", case, output),
        _value("response", case, output),
    )


_Rule: TypeAlias = Callable[[Case, Output], tuple[float, str]]
"""Function that returns the score of an output, and the reason."""

_RULES: Mapping[KindFamily, _Rule] = {
    "calls": _tool_calls,
    "conversation": _task_completion,
    "answer": _answer,
    "grounded": _groundedness,
    "open": _rubric,
    "workspace": _rubric,
}


@cache
def _rule_of(judge: str) -> _Rule:
    """Return the rule of a shipped judge, which is the same for all of its kinds."""
    any_kind = min(JUDGED_KINDS[judge])  # `min` only makes the choice definite
    return _RULES[kind_spec(any_kind).family]


def _value(name: str, case: Case, output: Output) -> str:
    """Return an input of prompts as text; raise NotApplicableError if the item lacks it."""
    return str(INPUT_BUILDERS[name](case, output))


def _overlap(finding: str, text: str, other: str) -> tuple[float, str]:
    share = _share(_content_words(_words(text)), _words(other))
    return share, f"{share:.2f} {finding}"


def _parameters(function: Mapping[str, Any]) -> Mapping[str, Any]:
    return function.get("parameters") or {}


def _own_words(function: Mapping[str, Any]) -> set[str]:
    return _content_words(_words(f"{function['name'].replace('_', ' ')} {function.get('description', '')}"))


def _words_of_names(function: Mapping[str, Any]) -> set[str]:
    names = _words(function["name"])
    for parameter in _parameters(function).get("properties") or ():
        names |= _words(str(parameter))
    return names | _words(function["name"].replace(".", "_"))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _content_words(words: Iterable[str]) -> set[str]:
    return {word for word in words if len(word) >= _MIN_WORD_LENGTH or any(map(str.isdigit, word))}


def _share(words: set[str], others: set[str], *, of_nothing: float = 0.0) -> float:
    return len(words & others) / len(words) if words else of_nothing
