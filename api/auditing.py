"""`fiducial.mutate` and `fiducial.audit`: probes with certain labels, and what judges make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ..deterministic import CheckOptions
from ..deterministic.mutation import load_operators
from ..deterministic.registration import load_environments, load_functions
from ..errors import UsageError
from ..evaluation.audit.building import ProbeSettings, build_probes
from ..evaluation.audit.plan import DEFAULT_SAMPLE, AuditPlan
from ..evaluation.audit.probe_folder import ProbeManifest
from ..evaluation.audit.running import run_audit
from ..evaluation.judging.access import ModelAccess
from ..judges.loop_thread import run_apart
from ..records import FolderPath, MemoryFolder
from .audits import Audit
from .evaluating import JudgeLike, judge_tasks_of
from .progress import shown_progress
from .sources import Cases, FilePath, Outputs, output_sources, source


class Probes(msgspec.Struct, frozen=True):
    """Mutants with one named fault each, harmless twins and attacks, made of right outputs.

    Attributes:
        kept: Where they are; a folder in memory where they are kept nowhere else.
        manifest: How they were made, and how many of each operator.
    """

    kept: FolderPath
    manifest: ProbeManifest


def mutate(
    cases: Cases,
    outputs: Outputs | None = None,
    *,
    out: FilePath | None = None,
    only: Sequence[str] = (),
    seed: int = 0,
    per_output: int = 3,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    worlds: Mapping[str, type] | None = None,
    progress: bool | None = None,
) -> Probes:
    """Make probes of right outputs; the strict checker labels them.

    Args:
        cases: In any form.
        outputs: In any form: those that strict rules call right are mutated; None makes right outputs of the references.
        out: A folder to keep the probes in; None keeps them in memory.
        only: Operators by name; all that apply when left out.
        seed: The same seed gives the same probes.
        per_output: Probes of one operator from one right output at most.
        functions: Functions that executable calls may name, by name; those that are registered when left out.
        worlds: Simulated worlds of one's own, by class name; those that are registered when left out.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The probes.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
        UsageError: There is no such operator.
    """
    operators = load_operators()
    unknown = sorted(set(only) - operators.keys())
    if unknown:
        raise UsageError(f"only: no operator {unknown[0]!r}; there are {', '.join(operators)}")
    settings = ProbeSettings(
        operators=[each for name, each in operators.items() if not only or name in only],
        options=CheckOptions(
            functions=load_functions() if functions is None else functions,
            environments=load_environments() if worlds is None else worlds,
        ),
        seed=seed,
        per_operator=per_output,
    )
    kept: FolderPath = MemoryFolder("probes") if out is None else Path(out)
    sources = [] if outputs is None else output_sources(outputs)
    with shown_progress(wanted=progress) as shown:
        return Probes(kept, build_probes(source("cases", cases), sources, kept, settings, shown))


def audit(
    probes: Probes | FilePath,
    judges: JudgeLike | Sequence[JudgeLike],
    *,
    model: str | None = None,
    out: FilePath | None = None,
    sample: int = DEFAULT_SAMPLE,
    only: Sequence[str] = (),
    repeats: int = 2,
    worlds: Mapping[str, type] | None = None,
    progress: bool | None = None,
) -> Audit:
    """Ask judges about probes: which faults they miss, what harmless they punish, what talks them into passing.

    Args:
        probes: Made by `mutate`, or the folder that they are in.
        judges: A judge or several, made by `fiducial.judge` or named.
        model: The judging model of judges that are only named.
        out: A folder to keep the audit in; the same call resumes it. None keeps it in memory.
        sample: Probes of each operator at most.
        only: Operators by name.
        repeats: How often right outputs are judged, to tell noise from effects.
        worlds: Simulated worlds of one's own, by class name; those that are registered when left out.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The audit: each judge's sensitivity by operator, and its lexical baseline's beside it.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge or operator, or no probe is for these judges.
        ConfigurationError: A model is needed and none is named or can be reached.
    """
    plan = AuditPlan(
        probes=probes.kept if isinstance(probes, Probes) else Path(probes),
        out=MemoryFolder("audit") if out is None else Path(out),
        command="fiducial.audit",
        judges=judge_tasks_of(judges, model, worlds),
        sample=sample,
        operators=only,
        repeats=repeats,
        environments=load_environments() if worlds is None else worlds,
    )
    return run_apart(partial(_audit, plan, progress=progress))


def _audit(plan: AuditPlan, *, progress: bool | None) -> Audit:
    with shown_progress(wanted=progress) as shown:
        return Audit.of(run_audit(plan, ModelAccess, shown, lambda: datetime.now(UTC)))
