"""Check an output by the checker of its kind of case, which is imported at the first case."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from ..plugins import CHECKERS
from ..records import KINDS, Case, Kind, Output, Verdict, kind_spec, part
from .finding import Finding, fault, undecided
from .options import CheckOptions, Rules

SYSTEM_ERROR = "system_error"
"""Error type of a system that ended with its own error instead of an answer."""

Checker: TypeAlias = Callable[[Case, Output, CheckOptions], Finding]


def check(case: Case, output: Output, options: CheckOptions | None = None) -> Verdict:
    """Check, without a model, whether an output is correct.

    Args:
        case: The task.
        output: The system's answer to this case.
        options: Rule set and registries; None for strict rules.

    Returns:
        A verdict of source ``checker``; ``undecided`` if no checker can tell.
    """
    options = options or CheckOptions()
    by, decide = _checker_of(case.kind, options.rules)
    finding = decide(case, output, options) if output.error is None else fault(SYSTEM_ERROR, output.error)
    return Verdict(
        case_id=output.case_id,
        system=output.system,
        trial=output.trial,
        by=by,
        source="checker",
        outcome=finding.outcome,
        score=finding.score,
        error_type=finding.error_type,
        reason=finding.reason,
        evidence=finding.evidence,
    )


def _checker_of(kind: Kind, rules: Rules) -> tuple[str, Checker]:
    """Return the checker's name for the verdict, and the checker."""
    if kind not in KINDS and kind in CHECKERS:
        return f"{kind}/own", _own
    name, decide = checker_for(kind)
    return f"{name}/{rules}", decide


@cache
def checker_for(kind: Kind) -> tuple[str, Checker]:
    """Return a built-in checker: its name in ``Verdict.by``, and the function."""
    spec = kind_spec(kind)
    if spec.checked_by is None or spec.checker is None:
        return "none", _nothing_decides
    return spec.checked_by, part(spec.checker)


def _own(case: Case, output: Output, _options: CheckOptions) -> Finding:
    from .custom_checkers import own_finding  # noqa: PLC0415 - most kinds are built in

    return own_finding(case, output)


def _nothing_decides(case: Case, _output: Output, _options: CheckOptions) -> Finding:
    return undecided(f"no checker decides cases of kind {case.kind}")


def validate_reference(case: Case, options: CheckOptions) -> None:
    """Refuse a case whose reference needs tools, environments or functions it does not have.

    Raises:
        InputError: No output can meet the reference; the message names the case, ``field`` the field.
    """
    validate = kind_spec(case.kind).validate_reference
    if validate is not None:
        part(validate)(case, options)
