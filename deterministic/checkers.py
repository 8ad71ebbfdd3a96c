"""Check an output with the checker of its kind of case; a checker is imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from ..plugins import CHECKERS
from ..records import KINDS, Case, Kind, Output, Verdict, kind_spec, load_function
from .finding import Finding, fault, undecided
from .options import CheckOptions, Rules

SYSTEM_ERROR = "system_error"
"""Error type of a system that ended with an error instead of an answer."""

Checker: TypeAlias = Callable[[Case, Output, CheckOptions], Finding]
"""Function that checks an output."""


def check(case: Case, output: Output, options: CheckOptions | None = None) -> Verdict:
    """Check, without a model, whether an output is correct.

    Args:
        case: The task.
        output: The system's answer to this case.
        options: Rule set and registries, or None for strict rules.

    Returns:
        A verdict of source ``checker``; ``undecided`` if no checker can tell.
    """
    options = options or CheckOptions()
    checker_name, checker = _checker_of(case.kind, options.rules)
    finding = checker(case, output, options) if output.error is None else fault(SYSTEM_ERROR, output.error)
    return Verdict(
        case_id=output.case_id,
        system=output.system,
        trial=output.trial,
        by=checker_name,
        source="checker",
        outcome=finding.outcome,
        score=finding.score,
        error_type=finding.error_type,
        reason=finding.reason,
        evidence=finding.evidence,
    )


def _checker_of(kind: Kind, rules: Rules) -> tuple[str, Checker]:
    if kind not in KINDS and kind in CHECKERS:
        return f"{kind}/own", _check_with_custom_checker
    name, checker = checker_for(kind)
    return f"{name}/{rules}", checker


@cache
def checker_for(kind: Kind) -> tuple[str, Checker]:
    """Return a built-in checker: its name in ``Verdict.by``, and the function."""
    spec = kind_spec(kind)
    if spec.checked_by is None or spec.checker is None:
        return "none", _leave_undecided
    return spec.checked_by, load_function(spec.checker)


def _check_with_custom_checker(case: Case, output: Output, _options: CheckOptions) -> Finding:
    from .custom_checkers import custom_finding  # noqa: PLC0415 - most kinds are built in

    return custom_finding(case, output)


def _leave_undecided(case: Case, _output: Output, _options: CheckOptions) -> Finding:
    return undecided(f"no checker decides cases of kind {case.kind}")


def validate_reference(case: Case, options: CheckOptions) -> None:
    """Refuse a case whose reference needs tools, environments or functions it does not have.

    Raises:
        InputError: No output can match the reference; the message names the case, ``field`` the field.
    """
    validate = kind_spec(case.kind).validate_reference
    if validate is not None:
        load_function(validate)(case, options)
