"""Problems of calls, whose sentences are built only when they are read."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from ...records import DIFFERS_IN_FORM
from ..finding import Finding, differing, fault, plain, shorten
from .expectation import Argument, ExpectedCall


class Problem(msgspec.Struct, frozen=True):
    """Problem of a call that does not match an expected one.

    Matching parallel calls tries many pairs and drops most problems, so the sentence is built only when it is read.

    Attributes:
        error_type: The kind of fault, in BFCL's words.
        sentence: Template with the placeholders ``{argument}``, ``{expected}`` and ``{got}``.
        argument: The argument's name, if there is one.
        expected: A list of acceptable values, or a word for them.
        got: The value in the call.
    """

    error_type: str
    sentence: str
    argument: Any = None
    expected: Any = None
    got: Any = None

    @property
    def reason(self) -> str:
        """The sentence, filled in."""
        return self.sentence.format(
            argument=self.argument, expected=_join_choices(self.expected), got=shorten(self.got)
        )

    @property
    def evidence(self) -> dict[str, Any]:
        """The facts as JSON values."""
        # Expected values come from a case, so they are JSON values already; a call may have any value.
        facts: dict[str, Any] = {"expected": self.expected, "got": plain(self.got)}
        return facts if self.argument is None else {"argument": self.argument, **facts}

    @property
    def undecided(self) -> bool:
        """True if the call may be right, so that a judge or a person has to decide."""
        return self.error_type == DIFFERS_IN_FORM

    @property
    def finding(self) -> Finding:
        """The problem as a finding."""
        if self.undecided:
            return differing(self.reason, **self.evidence)
        return fault(self.error_type, self.reason, **self.evidence)


def missing_argument(name: str, expected: ExpectedCall) -> Problem:
    """Return the problem of a missing argument, which the document or the reference requires."""
    acceptable = expected.shown.get(name)
    if name in expected.required_by_schema:
        sentence = "argument {argument} is required and missing"
        return Problem("simple_function_checker:missing_required", sentence, name, acceptable)
    sentence = "argument {argument} is missing, acceptable {expected}"
    return Problem("simple_function_checker:missing_optional", sentence, name, acceptable)


def unexpected_argument(name: Any, value: Any, expected: ExpectedCall) -> Problem:
    """Return the problem of an argument that is not in the document, or not in the reference.

    The name of a positional argument is None.
    """
    if name in expected.documented:
        sentence = "argument {argument} should be left out, got {got}"
    else:
        sentence = "argument {argument} is not documented, known are {expected}; got {got}"
    documented = sorted(expected.documented)
    return Problem("simple_function_checker:unexpected_param", sentence, name, documented, value)


def wrong_name(expected: str, got: Any) -> Problem:
    """Return the problem of a call to a function other than the expected one."""
    sentence = "called {got}, expected {expected}"
    return Problem("simple_function_checker:wrong_func_name", sentence, None, expected, got)


def wrong_type(argument: Argument, value: Any) -> Problem:
    """Return the problem of a value whose type is not the documented one."""
    sentence = "argument {argument}: expected a value of type {expected}, got {got}"
    return Problem("type_error:simple", sentence, argument.name, argument.declared, value)


def not_source_text(argument: Argument, value: Any, language: str) -> Problem:
    """Return the problem of a value that had to be source text of the case's language."""
    sentence = "argument {argument}: expected the source text of a value, got {got}"
    return Problem(f"type_error:{language}", sentence, argument.name, argument.declared, value)


NOT_ACCEPTABLE = "argument {argument}: got {got}, acceptable {expected}"


def not_acceptable(error_type: str, argument: Argument, value: Any) -> Problem:
    """Return the problem of a value that is none of the acceptable ones."""
    return Problem(error_type, NOT_ACCEPTABLE, argument.name, argument.shown, value)


def differs_in_form(argument: Argument, value: Any) -> Problem:
    """Return the problem of a value that differs from an acceptable one only in form."""
    sentence = "argument {argument}: got {got}, which differs only in form from {expected}"
    return Problem(DIFFERS_IN_FORM, sentence, argument.name, argument.shown, value)


def _join_choices(expected: Any) -> str:
    if type(expected) is not list:
        return str(expected)
    choices = cast("list[Any]", expected)
    values = ["left out" if type(value) is str and not value else shorten(value) for value in choices[:5]]
    return ", ".join(values) + (", ..." if len(choices) > len(values) else "")
