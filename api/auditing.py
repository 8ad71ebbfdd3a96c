"""`fiducial.mutate` and `fiducial.audit`: make probes with certain labels and test judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import msgspec

from ..calibration.pass_threshold import GivenPassAt, pass_at_of
from ..deterministic.mutation import load_dials, load_operators
from ..errors import UsageError
from ..evaluation.audit.audit_plan import DEFAULT_SAMPLE, AuditPlan
from ..evaluation.audit.audit_run import foresee_audit, run_audit
from ..evaluation.audit.building import ProbeSettings, build_probes
from ..evaluation.audit.ladder.climb import CALLS, LadderSettings
from ..evaluation.audit.probe_folder import ProbeManifest
from ..evaluation.checking.dotted_names import NamesOption
from ..evaluation.judging.access import ModelAccess
from ..judges.loop_thread import run_apart
from ..judges.prices import price_list
from ..records import FolderPath
from ..report.text.audit_text import probe_document
from .audits import Audit
from .check_options import FunctionsOption, Workspaces, Worlds, check_options, worlds_of
from .display import Document, Shown
from .evaluating import JudgeLike, asked_of
from .input_sources import Cases, Outputs, output_sources, source
from .paths import FilePath, folder_path, kept_folder, put_back
from .progress_bars import shown_progress
from .run_files import Access, Forecasts


class Probes(Shown, frozen=True):
    """Mutants with one named fault each, harmless twins and attacks, from correct outputs.

    Attributes:
        kept: Where they are; a folder in memory where they are kept nowhere else.
        manifest: How they were made, and how many of each operator.
    """

    kept: FolderPath
    manifest: ProbeManifest

    def document(self) -> Document:
        """Return the number of probes per operator as a document."""
        return probe_document(self.manifest)

    def to_dict(self) -> dict[str, Any]:
        """Return how the probes were made."""
        return msgspec.to_builtins(self.manifest)


def mutate(
    cases: Cases,
    outputs: Outputs | None = None,
    *,
    out: FilePath | None = None,
    only: Sequence[str] = (),
    operators: Sequence[str] = (),
    seed: int = 0,
    per_output: int = 3,
    names: NamesOption = "auto",
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    workers: int | None = None,
    progress: bool | None = None,
    **workspaces: Unpack[Workspaces],
) -> Probes:
    """Make probes from correct outputs; the strict checker labels them.

    Args:
        cases: In any form.
        outputs: In any form: those that strict rules call right are mutated; None makes right outputs of the references.
        out: A folder to keep the probes in; None keeps them in memory.
        only: Operators by name; all that apply when left out.
        operators: Of one's own, ``module:NAME`` each, beside those that are registered.
        seed: The same seed gives the same probes.
        per_output: Probes of one operator from one right output at most.
        names: How documented names with dots were offered: ``dotted``, ``underscored``, or ``auto`` for what each system uses.
        functions: Functions that executable calls may name; those that are registered when left out.
        worlds: Simulated worlds of one's own; those that are registered when left out.
        workers: How many processes make them; None for as many as there are cores, where that is faster. Probes are the same.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **workspaces: How workspaces are looked at; see `Workspaces`.

    Returns:
        The probes.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
        UsageError: There is no such operator.
    """
    known = load_operators(operators, Path.cwd())
    unknown = sorted(set(only) - known.keys())
    if unknown:
        raise UsageError(f"--only {unknown[0]}: no such operator; there are {', '.join(known)}")
    settings = ProbeSettings(
        operators=[each for name, each in known.items() if not only or name in only],
        options=check_options("strict", functions, worlds, **workspaces),
        names=names,
        seed=seed,
        per_operator=per_output,
    )
    kept = kept_folder(out, "probes")
    sources = [] if outputs is None else output_sources(outputs)
    with shown_progress(wanted=progress) as shown, put_back(kept):
        return Probes(
            kept, build_probes(source("cases", cases), sources, kept, settings, shown, workers=workers)
        )


def audit(
    probes: Probes | FilePath | None,
    judges: JudgeLike | Sequence[JudgeLike],
    *,
    model: str | None = None,
    out: FilePath | None = None,
    sample: int = DEFAULT_SAMPLE,
    only: Sequence[str] = (),
    repeats: int = 2,
    ladder: bool = False,
    calls: int = CALLS,
    evenly: bool = False,
    pass_at: GivenPassAt = None,
    worlds: Worlds = None,
    access: Access | None = None,
    poll_seconds: float | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    command: str = "fiducial.audit",
    progress: bool | None = None,
) -> Audit:
    """Ask judges about probes: missed faults, punished harmless changes, successful attacks.

    Args:
        probes: Made by `mutate`, or the folder that they are in; None for ladders alone.
        judges: A judge or several, made by `fiducial.judge` or named.
        model: The judging model of judges that are only named.
        out: A folder to keep the audit in; the same call resumes it. None keeps it in memory.
        sample: Probes of each operator at most.
        only: Operators and dials by name.
        repeats: How often right outputs are judged, to tell noise from effects.
        ladder: Whether to find out up to which level of difficulty faults are caught, dial by dial.
        calls: Questions of each dial, to each judge.
        evenly: Whether these go evenly over the levels, all at once, and not where answers lead.
        pass_at: From which score on verdicts pass; None for the cuts that judges declare, and 0.5 for others.
        worlds: Simulated worlds of one's own; those that are registered when left out.
        access: How the model of judges that are only named is reached, by all of them together; as by `fiducial.judge` when left out.
        poll_seconds: Between two looks at a provider's batch endpoint; None asks the model directly.
        judge_parameters: Decoding parameters in place of those of prompts, for judges that are only named; None as a value leaves one out.
        command: For the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The audit: each judge's sensitivity by operator and its ladders, and its lexical baseline's beside it.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, operator or dial, or nothing is for these judges; or there are neither probes nor ladders.
        ConfigurationError: A model is needed and none is named or can be reached.
    """
    given = {name: value for name, value in locals().items() if name not in {"access", "progress"}}
    plan = _plan(**given, shared=access is not None)
    return run_apart(partial(_audit, plan, access or ModelAccess, progress=progress))


def forecast_audit(
    probes: Probes | FilePath | None,
    judges: Sequence[str],
    *,
    access: ModelAccess,
    prices: Sequence[str] = (),
    **options: Any,
) -> Forecasts:
    """Forecast the cost of an audit without making a call or writing a file.

    Takes the arguments of `audit`, and ``prices``.
    """
    plan = _plan(probes=probes, judges=judges, shared=True, **options)
    return Forecasts(judges=foresee_audit(plan, access, price_list(prices)))


def _plan(
    *,
    probes: Probes | FilePath | None,
    judges: JudgeLike | Sequence[JudgeLike],
    shared: bool,
    model: str | None = None,
    out: FilePath | None = None,
    only: Sequence[str] = (),
    ladder: bool = False,
    calls: int = CALLS,
    evenly: bool = False,
    worlds: Worlds = None,
    pass_at: GivenPassAt = None,
    judge_parameters: Mapping[str, Any] | None = None,
    poll_seconds: float | None = None,
    **rest: Any,
) -> AuditPlan:
    if probes is None and not ladder:
        raise UsageError(
            "nothing to ask about: name a folder of probes, or ask for ladders (--ladder), or both"
        )
    environments = worlds_of(worlds)
    dials = load_dials() if ladder else {}
    if probes is None and (unknown := [name for name in only if name not in dials]):
        raise UsageError(f"--only {unknown[0]}: no such dial; there are {', '.join(dials)}")
    chosen = [name for name in only if name in dials] or list(dials)
    return AuditPlan(
        probes=probes.kept if isinstance(probes, Probes) else None if probes is None else folder_path(probes),
        out=kept_folder(out, "audit"),
        **asked_of(
            judges,
            model,
            environments,
            shared=shared,
            poll_seconds=poll_seconds,
            judge_parameters=judge_parameters,
        ),
        operators=[name for name in only if name not in dials],
        ladder=LadderSettings([dials[name] for name in chosen], calls, evenly) if ladder else None,
        pass_at=pass_at_of(pass_at),
        **rest,
    )


def _audit(plan: AuditPlan, access: Access, *, progress: bool | None) -> Audit:
    with shown_progress(wanted=progress) as shown:
        return Audit.of(run_audit(plan, access, shown, lambda: datetime.now(UTC)))
