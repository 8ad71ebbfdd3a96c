"""Kinds of case: everything the package knows about a kind, in one table.

Functions are named as ``module:function``, relative to the package, and imported when the first case of the kind needs
them. A new built-in kind is one entry here and its functions; a custom kind has a `KindSpec` that `register_kind` adds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from ..plugins import CHECKERS
from ..spelling import either, setting
from .case import (
    AnswerReference,
    ExecutableReference,
    GroundedReference,
    Kind,
    MultiTurnReference,
    NoReference,
    OpenReference,
    ToolCallReference,
)
from .explanations import nearest

KindFamily: TypeAlias = Literal["calls", "conversation", "answer", "grounded", "open", "workspace", "custom"]
"""``calls``: tool calls of a request; ``conversation``: played in simulated worlds; ``answer``: a text with accepted answers."""

OperatorFamily: TypeAlias = Literal["tool_call", "multi_turn", "answer", "groundedness"]
"""Families of the operators that plant faults in right outputs, by their public names."""

OF_CALLS: Final = "tool_call"
OF_CONVERSATIONS: Final = "multi_turn"


class RowContents(NamedTuple):
    """Contents of an imported row that decide its kind of case, in order of precedence."""

    expected_calls: bool = False
    criterion: bool = False
    accepted_answers: bool = False
    no_call: bool = False
    calls_made: bool = False
    context: bool = False

    def include(self, needed: RowContents) -> bool:
        """Return whether the row has all needed contents."""
        return all(present or not need for present, need in zip(self, needed, strict=True))


_CALLS_QUESTION = "Do the calls do what was asked: the right functions, the right arguments, nothing made up?"
_ANSWER_QUESTION = "Does the final answer give an accepted answer?"


class KindSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of case.

    Attributes:
        name: The kind.
        family: Form of the outputs.
        reference: The form of ``Case.reference``, or None for any object.
        checked_by: Name of the checker in ``Verdict.by``, or None if no checker decides.
        checker: The checker, as ``module:function``.
        validate_reference: Function that refuses a reference that no output can meet, as ``module:function`` of case and options.
        right: Function that makes a right output from a reference, as ``module:function``.
        judge: Name of the shipped judge.
        operators: Family of the operators that plant faults in right outputs.
        call: ``any`` if any call is right, ``none`` if no call is, or None if the reference decides.
        pure: Whether a verdict depends only on case and output, so that it can be verified anywhere.
        compared: Whether calls are compared with accepted calls.
        question: The question that a reviewer answers.
        rows: Alternative contents of an imported row that make a case of this kind (`kind_of_row`).
        import_reason: Why an import makes a case of this kind.
    """

    name: Kind
    family: KindFamily = "custom"
    reference: type[msgspec.Struct] | None = None
    checked_by: str | None = None
    checker: str | None = None
    validate_reference: str | None = None
    right: str | None = None
    judge: str | None = None
    operators: OperatorFamily | None = None
    call: Literal["any", "none"] | None = None
    pure: bool = False
    compared: bool = False
    question: str = "Did it do what was asked?"
    rows: tuple[RowContents, ...] = ()
    import_reason: str = "named in the file"

    @property
    def about_calls(self) -> bool:
        """True if its outputs are tool calls, in one turn or several."""
        return self.family in {"calls", "conversation"}

    @property
    def plain(self) -> bool:
        """True if an imported row without a reference makes such a case."""
        return any(not (row.expected_calls or row.accepted_answers or row.no_call) for row in self.rows)


_BUILT_IN = (
    KindSpec(
        name="tool_call",
        family="calls",
        reference=ToolCallReference,
        checked_by="ast",
        checker="deterministic.ast.tool_calls:check_tool_calls",
        validate_reference="deterministic.ast.schema_check:validate_calls",
        right="deterministic.mutation.right_outputs:with_accepted_calls",
        judge="tool_call_accuracy",
        operators=OF_CALLS,
        pure=True,
        compared=True,
        question=_CALLS_QUESTION,
        rows=(RowContents(expected_calls=True),),
        import_reason="the expected calls are known; a checker decides",
    ),
    KindSpec(
        name="no_call",
        family="calls",
        reference=NoReference,
        checked_by="relevance",
        checker="deterministic.relevance:check_relevance",
        right="deterministic.mutation.right_outputs:without_calls",
        judge="tool_call_accuracy",
        operators=OF_CALLS,
        call="none",
        pure=True,
        question="No function fits the request. Does it rightly call none?",
        rows=(RowContents(no_call=True),),
        import_reason="an empty list of expected calls says that none is due; a checker decides",
    ),
    KindSpec(
        name="any_call",
        family="calls",
        reference=NoReference,
        checked_by="relevance",
        checker="deterministic.relevance:check_relevance",
        judge="tool_call_accuracy",
        call="any",
        pure=True,
        question="Does it call a function that fits the request, with arguments that the request supports?",
        rows=(RowContents(calls_made=True),),
        import_reason="tool calls without a reference: only a judge can grade them",
    ),
    KindSpec(
        name="executable_call",
        family="calls",
        reference=ExecutableReference,
        checked_by="execution",
        checker="deterministic.execution.executable_calls:check_executable_calls",
        validate_reference="deterministic.execution.executable_calls:validate_results",
        judge="tool_call_accuracy",
        question=_CALLS_QUESTION,
    ),
    KindSpec(
        name="multi_turn",
        family="conversation",
        reference=MultiTurnReference,
        checked_by="state",
        checker="deterministic.multi_turn.trajectory:check_trajectory",
        validate_reference="deterministic.multi_turn.playable:validate_turns",
        right="deterministic.mutation.right_outputs:with_turns",
        judge="task_completion",
        operators=OF_CONVERSATIONS,
        question="Did it do what was asked, in every turn?",
    ),
    KindSpec(
        name="memory_answer",
        family="answer",
        reference=AnswerReference,
        checked_by="answer",
        checker="deterministic.answers:check_answers",
        right="deterministic.mutation.right_outputs:with_answer",
        judge="memory_answer",
        operators="answer",
        pure=True,
        question=_ANSWER_QUESTION,
        rows=(RowContents(accepted_answers=True),),
        import_reason="the file has accepted answers",
    ),
    KindSpec(
        name="web_search_answer",
        family="answer",
        reference=AnswerReference,
        checked_by="answer",
        checker="deterministic.answers:check_answers",
        right="deterministic.mutation.right_outputs:with_answer",
        judge="web_search_answer",
        operators="answer",
        pure=True,
        question=_ANSWER_QUESTION,
        rows=(RowContents(accepted_answers=True, context=True),),
        import_reason="the file has accepted answers and a context",
    ),
    KindSpec(
        name="artifact",
        family="workspace",
        checked_by="artifact",
        checker="deterministic.artifacts.workspace_checker:check_workspace",
        judge="rubric",
        question="Do the files do what was asked?",
    ),
    KindSpec(
        name="grounded_answer",
        family="grounded",
        reference=GroundedReference,
        judge="groundedness",
        operators="groundedness",
        pure=True,
        question="Pass: the context supports every claim. Fail: none. Otherwise enter the share.",
        rows=(RowContents(context=True),),
        import_reason="the file has a context",
    ),
    KindSpec(
        name="open_answer",
        family="open",
        reference=OpenReference,
        judge="rubric",
        question="Does the answer meet the criterion?",
        rows=(RowContents(criterion=True), RowContents()),
        import_reason="no reference: graded against the criterion",
    ),
)

KINDS: dict[Kind, KindSpec] = {spec.name: spec for spec in _BUILT_IN}
"""The built-in kinds, in the order of listings."""

_REGISTERED: dict[Kind, KindSpec] = {}


def register_kind(spec: KindSpec) -> None:
    """Register a custom kind; it replaces an earlier one of its name."""
    _REGISTERED[spec.name] = spec


def kind_spec(kind: Kind) -> KindSpec:
    """Return the description of a kind; an unknown kind has only its name."""
    return KINDS.get(kind) or _REGISTERED.get(kind) or KindSpec(name=kind)


@cache
def kind_of_row(contents: RowContents) -> Kind:
    """Return the kind of case for an imported row, by the contents of highest precedence."""
    # Tuples compare by their first fields first, so the maximum has the contents of highest precedence.
    return max((row, spec.name) for spec in KINDS.values() for row in spec.rows if contents.include(row))[1]


@cache
def load_function(name: str) -> Callable[..., Any]:
    """Load a function of a kind, named as ``module:function``."""
    module, _, function = name.partition(":")
    return getattr(import_module(f"..{module}", __package__), function)


def is_kind(name: str) -> bool:
    """Return whether a kind of this name exists.

    Plugin packages are searched only for kinds that are not built in.
    """
    return name in KINDS or name in CHECKERS


def unknown_kind(name: str) -> str:
    """Return the error message for an unknown kind."""
    kind_names = [*KINDS, *(kind for kind in CHECKERS if kind not in KINDS)]
    how_to_register = either(
        f", and those that {setting('plugin', 'FILE')} brings a checker for",
        f', or a kind registered with @fd.checker("{name}")',
    )
    return f"unknown kind {name!r}{nearest(name, kind_names)}; known are {', '.join(kind_names)}{how_to_register}"
