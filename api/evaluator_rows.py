"""Rows of other tools: the columns each judge class takes, and verdicts as columns.

The columns of a verdict are named as Azure's evaluators name them.
"""
# No `from __future__ import annotations`: promptflow reads these annotations at run time, and cannot resolve texts.

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

from ..records import NO_USAGE, Case, Kind, Outcome, Output, Verdict
from ..records.made_scores import reaches
from .conversation_forms import context_of, parsed_calls, question_messages, split_conversation, tools_of

# Inputs are bare, since promptflow refuses `list[...]`; a result is a TypedDict, since it refuses `dict[...]`.
if TYPE_CHECKING:
    Items: TypeAlias = list[Any]
    Columns: TypeAlias = dict[str, Any]
else:
    Items = list

    class Columns(TypedDict):
        """Columns of a result; none is listed, since they are named after the judge."""


NOTHING: Final[Items] = []
"""Default of a column that may be missing; never changed."""

_STATUS: Mapping[Outcome, str] = {"graded": "completed", "not_applicable": "skipped"}
"""Outcomes in Azure's words, if it has one; others keep their names."""


def columns(name: str, verdict: Verdict, threshold: float) -> dict[str, Any]:
    """Return a verdict as a row.

    Args:
        name: The judge's name, the beginning of every column.
        verdict: The judge's verdict.
        threshold: Lowest score whose result is ``pass``.

    Returns:
        ``NAME`` and ``NAME_score`` (None if there is no score, never 0), ``NAME_result`` (``pass``, ``fail``,
        ``not_applicable`` or ``unknown``), ``NAME_passed``, ``NAME_reason``, ``NAME_status`` (``completed``, ``skipped``,
        ``unparsable``, ``refused``, ``failed``), ``NAME_threshold`` and ``NAME_properties``.
    """
    passed = None if verdict.score is None else reaches(verdict.score, threshold)
    result = {True: "pass", False: "fail", None: "unknown"}[passed]
    usage = verdict.usage or NO_USAGE
    return {
        name: verdict.score,
        f"{name}_score": verdict.score,
        f"{name}_passed": passed,
        f"{name}_result": "not_applicable" if verdict.outcome == "not_applicable" else result,
        f"{name}_reason": verdict.reason,
        f"{name}_status": _STATUS.get(verdict.outcome, verdict.outcome),
        f"{name}_threshold": threshold,
        f"{name}_properties": {
            "by": verdict.by,
            "evidence": dict(verdict.evidence),
            "sample_output": verdict.raw,
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
    }


def groundedness(response: str, context: Items, query: str = "") -> tuple[Case, Output]:
    """Judge the share of an answer that the context supports.

    Args:
        response: The answer.
        context: Sources of the answer: a text, texts, or objects with ``id``, ``request`` and ``content``.
        query: The question.
    """
    messages = question_messages(query) if query else []
    return _item("grounded_answer", {"messages": messages, "context": context_of(context)}, text=response)


def rubric(query: str, response: str, criterion: str) -> tuple[Case, Output]:
    """Judge whether an answer meets a criterion.

    Args:
        query: What was asked, or the conversation as a list of messages.
        response: The agent's answer.
        criterion: Criterion of a good answer.
    """
    case = {"messages": question_messages(query), "reference": {"criterion": criterion}}
    return _item("open_answer", case, text=response)


def task_completion(messages: Items, tool_definitions: Items = NOTHING) -> tuple[Case, Output]:
    """Judge whether an agent did what was asked in a whole conversation.

    Args:
        messages: The conversation as OpenAI chat messages, calls and tool results included.
        tool_definitions: The tools on offer, in OpenAI's or Azure's form.
    """
    requests, turns = split_conversation(messages)
    return _item("any_call", {"messages": requests, "tools": tools_of(tool_definitions)}, turns=turns)


def tool_call_accuracy(
    query: str, tool_definitions: Items, tool_calls: Items = NOTHING, response: str = ""
) -> tuple[Case, Output]:
    """Judge whether an agent's calls are the right ones.

    Args:
        query: What was asked, or the conversation as a list of messages.
        tool_definitions: The available tools, in OpenAI's or Azure's form.
        tool_calls: The agent's calls, in OpenAI's or Azure's form; empty if it made none.
        response: The agent's text, from which calls are read if there are no ``tool_calls``.
    """
    case = {"messages": question_messages(query), "tools": tools_of(tool_definitions)}
    calls = parsed_calls(tool_calls)
    return _item("any_call", case, text=response or None, tool_calls=calls if calls or not response else None)


def accepted_answer(kind: Kind) -> Callable[[str, str, Items], tuple[Case, Output]]:
    """Return the item function of the two judges that compare with accepted answers."""

    def item(query: str, response: str, accepted_answers: Items) -> tuple[Case, Output]:
        """Judge whether an answer gives an accepted one.

        Args:
            query: What was asked, or the conversation as a list of messages.
            response: The agent's answer.
            accepted_answers: Answers that count as right.
        """
        reference = {"answers": [str(answer) for answer in accepted_answers]}
        return _item(kind, {"messages": question_messages(query), "reference": reference}, text=response)

    return item


def _item(kind: Kind, case: dict[str, Any], **output: Any) -> tuple[Case, Output]:
    """Return a case and an output without an identity, which other tools' rows lack."""
    return Case(id="row", kind=kind, **case), Output(case_id="row", system="row", **output)
