"""Custom checkers: functions of a case and an output that check a custom kind of case."""

from __future__ import annotations

import hashlib
import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast, get_args

import msgspec

from ..errors import ConfigurationError
from ..plugins import CHECKERS, place
from ..records import KINDS, Case, Kind, KindSpec, Outcome, Output, Verdict, register_kind
from .finding import PASSED, Finding, fault, plain, shorten

OwnChecker: TypeAlias = Callable[[Case, Output], "bool | float | Finding | Verdict"]
"""Function of the user that checks an output.

It returns True or 1 for right, False or 0 for wrong, a number in between for partly right, or a `Finding` or `Verdict` with any outcome.
"""

_MAX_MESSAGE_LENGTH = 300
"""Longer messages of exceptions are cut in a verdict's reason, in characters."""

F = TypeVar("F", bound=Callable[..., Any])


def checker(kind: Kind, *, reference: type[msgspec.Struct] | None = None) -> Callable[[F], F]:
    """Make a function the checker of a kind of case.

    ::

        @checker("sql")
        def same_rows(case, output):
            return run(output.text) == run(case.reference["query"])

    Args:
        kind: The kind, a new one.
        reference: Type of ``Case.reference``; cases with another are refused. None accepts any object.

    Returns:
        A decorator, which returns the function unchanged.

    Raises:
        ConfigurationError: The kind is built in, its name is invalid or taken, or the function is not one, is asynchronous or does not take both arguments.
    """
    CHECKERS.require_no_bare_name(kind)
    if kind in KINDS:
        raise ConfigurationError(f"checkers: {kind!r} is a built-in kind with a checker; choose another name")

    def add(function: F) -> F:
        if inspect.iscoroutinefunction(function):
            raise ConfigurationError(f"checkers: {kind!r}: expected a function that is not asynchronous")
        if not _takes_case_and_output(function):
            raise ConfigurationError(f"checkers: {kind!r} must take (case, output)")
        CHECKERS.register(kind, function)
        register_kind(KindSpec(name=kind, reference=reference))
        return function

    return add


def _takes_case_and_output(function: Callable[..., Any]) -> bool:
    """Return whether a function takes two arguments; True if its signature is unknown."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return not callable(function)  # refused as such when it is registered
    except ValueError:  # built into Python
        return True
    return True


def source_fingerprint(kind: Kind) -> str:
    """Return a hash of the source of a kind's checker, which tells its versions apart.

    The source is the whole file that defines the checker, if there is one, since helper functions change verdicts, too.

    Raises:
        ConfigurationError: The checker cannot be loaded.
    """
    function = CHECKERS[kind]
    definition: Any = function if inspect.isroutine(function) else cast("Any", type(function))
    try:
        source = Path(inspect.getfile(definition)).read_bytes()
    except (OSError, TypeError):  # defined in a notebook, or built into Python
        try:
            source = inspect.getsource(definition).encode()
        except (OSError, TypeError):
            source = place(function).encode()
    return hashlib.sha256(source).hexdigest()


def custom_finding(case: Case, output: Output) -> Finding:
    """Return the finding of the user's checker.

    If the checker raises or returns no valid finding, the outcome is ``failed``: that is not the system's fault.
    """
    function = CHECKERS[case.kind]
    try:
        return _as_finding(function(case, output), case.kind)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's function may raise anything
        frame = traceback.extract_tb(error.__traceback__)[-1]  # the line that raised
        return _failed_finding(case.kind, f"raised {_error_text(error)} ({frame.filename}:{frame.lineno})")


def _error_text(error: BaseException) -> str:
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split())
    except Exception:  # noqa: BLE001 - an exception that cannot even be printed
        text = type(error).__name__
    return text if len(text) <= _MAX_MESSAGE_LENGTH else f"{text[:_MAX_MESSAGE_LENGTH]}..."


def _as_finding(result: Any, kind: Kind) -> Finding:
    if inspect.iscoroutine(result):
        result.close()
    if isinstance(result, Verdict):
        result = Finding(result.outcome, result.score, result.error_type, result.reason, result.evidence)
    if isinstance(result, Finding):
        problem = _describe_problem(result)
        return (
            _as_json_values(result)
            if problem is None
            else _failed_finding(kind, f"returned a finding whose {problem}")
        )
    score = _as_float(result)
    if score is None or not 0.0 <= score <= 1.0:
        return _failed_finding(
            kind, f"returned {shorten(result)}; expected a bool, a score in [0, 1], a Finding or a Verdict"
        )
    if score == 1.0:
        return PASSED
    finding = fault(
        f"{kind}:wrong" if score == 0.0 else f"{kind}:partly_wrong",
        f"the checker of kind {kind} scores it {score:g}",
    )
    return msgspec.structs.replace(finding, score=score)


def _as_float(value: Any) -> float | None:
    """Return a boolean or number, numpy's included, as a float, or None for any other value."""
    # numpy's scalars and arrays have `item`; only scalars have no dimensions.
    item = getattr(cast("object", value), "item", None)
    if callable(item) and getattr(cast("object", value), "ndim", None) == 0:
        value = item()
    try:
        return float(value) + 0.0 if isinstance(value, int | float) else None  # -0.0 becomes 0.0
    except OverflowError:
        return None


def _describe_problem(finding: Finding) -> str | None:
    if finding.outcome not in get_args(Outcome):
        return f"outcome is {shorten(finding.outcome)}; known are {', '.join(get_args(Outcome))}"
    score = None if finding.score is None else _as_float(finding.score)
    if finding.outcome != "graded":
        return None if finding.score is None else f"outcome is {finding.outcome}, which has no score"
    return None if score is not None and 0.0 <= score <= 1.0 else f"score is {shorten(finding.score)}"


def _as_json_values(finding: Finding) -> Finding:
    """Return the finding with values that JSON can represent, whatever the user returned."""
    evidence: Any = plain(finding.evidence)
    return Finding(
        finding.outcome,
        None if finding.score is None else _as_float(finding.score),
        None if finding.error_type is None else str(finding.error_type),
        None if finding.reason is None else str(finding.reason),
        cast("dict[str, Any]", evidence) if isinstance(evidence, dict) else {"evidence": evidence},
    )


def _failed_finding(kind: Kind, problem: str) -> Finding:
    return Finding("failed", None, None, f"the checker of kind {kind} {problem}")
