"""`fiducial.audit`: test judges with probes whose labels are certain."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ..calibration.pass_threshold import threshold_overrides
from ..deterministic.mutation import load_dials
from ..errors import UsageError
from ..evaluation.audit.audit_plan import DEFAULT_SAMPLE, AuditPlan
from ..evaluation.audit.audit_run import audit_forecasts, run_audit
from ..evaluation.audit.ladder.climb import CALLS, LadderSettings
from ..evaluation.judging.access import ModelAccess
from ..judges.loop_thread import run_apart
from ..records import nearest
from ..settings.verbs.audit import AuditRunSettings
from ..spelling import setting
from .argument_checks import checked_arguments, require_whole
from .audits import Audit
from .checking import Worlds, worlds_of
from .evaluating import JudgeLike, judging_fields, judging_fields_of
from .forecasts import Forecasts
from .mutating import Probes, probes_folder
from .paths import FilePath, folder_or_memory
from .price_memory import known_prices
from .progress_bars import show_progress
from .run_files import Access


@checked_arguments
def audit(
    probes: Probes | FilePath | None,
    judges: JudgeLike | Sequence[JudgeLike],
    *,
    model: str | None = None,
    out: FilePath | None = None,
    sample: int = DEFAULT_SAMPLE,
    only: str | Sequence[str] = (),
    repeats: int = 2,
    ladder: bool = False,
    calls: int = CALLS,
    evenly: bool = False,
    pass_at: float | Mapping[str, float] | None = None,
    worlds: Worlds = None,
    access: Access | None = None,
    poll_seconds: float | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    command: str = "fiducial.audit",
    progress: bool | None = None,
) -> Audit:
    """Ask judges about probes: missed faults, punished harmless changes, successful attacks.

    Args:
        probes: Probes made by `mutate`, or their folder, or None for ladders only.
        judges: One or several, made by `fiducial.judge` or given by name.
        model: The judging model, for judges given by name.
        out: A folder for the audit; the same call resumes it. None keeps it in memory.
        sample: Maximum probes per operator.
        only: Operators and dials by name.
        repeats: Number of times right outputs are judged, to distinguish noise from effects.
        ladder: Whether to find the level of difficulty up to which faults are caught, by dial.
        calls: Number of questions per dial and judge.
        evenly: Whether to spread questions evenly over the levels, all at once, instead of by the answers so far.
        pass_at: Pass threshold; by default each judge's own, else 0.5.
        worlds: Custom simulated worlds; by default the registered ones.
        access: Model access shared by the judges given by name; by default that of `fiducial.judge`.
        poll_seconds: Seconds between checks of a provider's batch; None asks the model directly.
        judge_parameters: Decoding parameters that override the prompts', for judges given by name; a value of None omits one.
        command: The command line, for the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The audit: each judge's sensitivity by operator, its ladders, and those of its word overlap baseline.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, operator or dial, or nothing is for these judges; or there are neither probes nor ladders.
        ConfigurationError: A model is needed and none is named or can be reached.
    """
    if not isinstance(probes, (Probes, str, os.PathLike, type(None))):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"probes: got {type(probes).__name__}; make probes first: fd.mutate(cases)")
    for name, number in (("sample", sample), ("repeats", repeats), ("calls", calls)):
        require_whole(name, number)
    environments, shared = worlds_of(worlds), access is not None
    plan = AuditPlan(
        probes=probes_folder(probes),
        out=folder_or_memory(out, "audit"),
        **judging_fields(
            judges,
            model,
            environments,
            shared=shared,
            poll_seconds=poll_seconds,
            judge_parameters=judge_parameters,
        ),
        **_tests_to_run(probes, only, ladder=ladder, calls=calls, evenly=evenly),
        pass_at=threshold_overrides(pass_at),
        sample=sample,
        repeats=repeats,
        command=command,
    )
    return audit_by(plan, access or ModelAccess, progress=progress)


def audit_plan(settings: AuditRunSettings, *, command: str) -> AuditPlan:
    """Return the plan of an audit; fields that are called like a setting take its value.

    Args:
        settings: Settings of `fiducial audit run`.
        command: The command line, for the record.
    """
    judge_fields = judging_fields_of(settings)
    test_fields = _tests_to_run(
        settings.probes,
        settings.only,
        ladder=settings.ladder,
        calls=settings.calls,
        evenly=settings.evenly,
    )
    return AuditPlan(
        **{**settings.named(AuditPlan.__struct_fields__), **judge_fields, **test_fields}, command=command
    )


def forecast_audit(plan: AuditPlan, access: ModelAccess, prices: Sequence[str] = ()) -> Forecasts:
    """Forecast the cost of an audit without making a call or writing a file."""
    return Forecasts(judges=audit_forecasts(plan, access, known_prices(prices)))


def audit_by(plan: AuditPlan, access: Access, *, progress: bool | None) -> Audit:
    """Carry out the plan of an audit, or resume it."""
    return run_apart(partial(_audit, plan, access, progress=progress))


def _tests_to_run(
    probes: object, only: str | Sequence[str], *, ladder: bool, calls: int, evenly: bool
) -> dict[str, Any]:
    """Return the fields of a plan that name operators and dials."""
    if probes is None and not ladder:
        raise UsageError(f"nothing to judge: name a folder of probes, or add {setting('ladder')}, or both")
    dials = load_dials() if ladder else {}
    only = [only] if isinstance(only, str) else only
    if probes is None and (unknown := [name for name in only if name not in dials]):
        raise UsageError(
            f"{setting('only', unknown[0])}: no such dial{nearest(unknown[0], dials)}; there are {', '.join(dials)}"
        )
    dial_names = [name for name in only if name in dials] or list(dials)
    return {
        "operators": [name for name in only if name not in dials],
        "ladder": LadderSettings([dials[name] for name in dial_names], calls, evenly) if ladder else None,
    }


def _audit(plan: AuditPlan, access: Access, *, progress: bool | None) -> Audit:
    with show_progress(enabled=progress) as progress_display:
        return run_audit(plan, access, progress_display, lambda: datetime.now(UTC))
