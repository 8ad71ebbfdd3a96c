"""`fiducial.check`: what a checker says of one output; no model, no file, no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from ..deterministic import CheckOptions, Rules
from ..deterministic import check as check_record
from ..deterministic.checkers import ArtifactOptions, require_meetable
from ..deterministic.registration import load_environments, load_functions
from ..errors import UsageError
from ..records import Case, Output, Verdict
from .sources import as_case, as_output


def check(
    case: Case | Mapping[str, Any],
    output: Output | Mapping[str, Any],
    *,
    rules: Rules = "strict",
    functions: Mapping[str, Callable[..., Any]] | None = None,
    worlds: Mapping[str, type] | None = None,
    allow_code: bool = False,
) -> Verdict:
    """Decide, without a model, whether an output is right.

    Args:
        case: What was to be done; a record, or a mapping with the same keys.
        output: What the system produced; in a mapping ``case_id`` and ``system`` may be left out.
        rules: ``strict``, or ``bfcl`` for verdicts equal to the Berkeley Function-Calling Leaderboard's.
        functions: Functions that executable calls may name, by name; those that are registered when left out.
        worlds: Simulated worlds of one's own, by class name; those that are registered when left out.
        allow_code: Whether code in a workspace may be run, in a sandbox.

    Returns:
        The verdict; its outcome is ``undecided`` where no checker can tell.

    Raises:
        RecordError: Case or output is not in its form; the message names the field.
        InputError: Nobody could meet the reference with the case's own tools, worlds or functions.
        UsageError: The output is of another case, or there are no such rules.
    """
    if rules not in get_args(Rules):
        raise UsageError(f"rules: expected {' or '.join(get_args(Rules))}, got {rules!r}")
    checked = as_case(case)
    options = CheckOptions(
        rules=rules,
        functions=load_functions() if functions is None else functions,
        environments=load_environments() if worlds is None else worlds,
        artifacts=ArtifactOptions(allow_code=allow_code),
    )
    require_meetable(checked, options)
    return check_record(checked, as_output(output, checked), options)
