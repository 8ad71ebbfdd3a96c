"""`fiducial.check`: check one output without model, file or network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from ..deterministic import Rules
from ..deterministic import check as check_record
from ..deterministic.checkers import validate_reference
from ..records import Case, Output, Verdict
from .check_options import FunctionsOption, Workspaces, Worlds, check_options
from .input_sources import as_case, as_output


def check(
    case: Case | Mapping[str, Any],
    output: Output | Mapping[str, Any],
    *,
    rules: Rules = "strict",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    **workspaces: Unpack[Workspaces],
) -> Verdict:
    """Check, without a model, whether an output is correct.

    Args:
        case: What was to be done; a record, or a mapping with the same keys.
        output: What the system produced; in a mapping ``case_id`` and ``system`` may be left out.
        rules: ``strict``, or ``bfcl`` for verdicts equal to the Berkeley Function-Calling Leaderboard's.
        functions: Functions that executable calls may name; those that are registered when left out.
        worlds: Simulated worlds of one's own; those that are registered when left out.
        **workspaces: How a workspace is looked at, such as ``allow_code=True``; see `Workspaces`.

    Returns:
        The verdict; its outcome is ``undecided`` where no checker can tell.

    Raises:
        RecordError: Case or output is not in its form; the message names the field.
        InputError: Nobody could meet the reference with the case's own tools, worlds or functions.
        UsageError: The output is of another case, or there are no such rules.
    """
    options = check_options(rules, functions, worlds, **workspaces)
    checked = as_case(case)
    validate_reference(checked, options)
    return check_record(checked, as_output(output, checked), options)
