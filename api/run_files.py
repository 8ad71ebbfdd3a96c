"""Runs from files into a folder, with all options.

`fiducial.evaluate` has fewer options.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ..errors import MissingExtraError, UsageError
from ..evaluation.engines.ray_engine import RayEngine
from ..evaluation.judging.access import BatchMode, ModelAccess
from ..evaluation.judging.judge_task import parse_judge_on
from ..evaluation.pipeline import run as run_plan
from ..evaluation.run_plan import Plan
from ..evaluation.store.file_names import GENERATED
from ..evaluation.store.manifest import component_versions
from ..records import InputPath
from ..records.disk_files import shards_of
from ..settings.checking_settings import WorkspacesSettings
from ..settings.evaluating_settings import EvaluatingSettings
from ..settings.judging_settings import JudgingSettings
from ..settings.setting import DeclaredSettings, names_of
from ..settings.verbs.run import RunSettings
from ..spelling import setting, spelled_word
from .model_access import judging_api
from .price_memory import keep_price, known_prices
from .progress_bars import show_progress

if TYPE_CHECKING:
    from ..evaluation.conclusion.run_summary import RunSummary
    from ..evaluation.engines.ray_engine import RayEngine
    from ..evaluation.judging.composites import JuryRule
    from .forecasts import Forecasts
    from .run_display import Reparsing

__all__ = [
    "GENERATED",
    "Access",
    "ModelAccess",
    "Plan",
    "engine_of",
    "forecast",
    "jury_rule",
    "plan_of",
    "reparse",
    "run",
]


Access: TypeAlias = Callable[[], ModelAccess]
"""Function that returns access to a model; called only if one is needed."""


def plan_of(
    settings: DeclaredSettings,
    *,
    command: str,
    labels: InputPath | None = None,
    jury: JuryRule | None = None,
    environments: Mapping[str, type] | None = None,
) -> Plan:
    """Return the plan of a run; fields that are called like a setting take its value.

    Fields of another form are derived from the settings here, or passed.

    Args:
        settings: Settings of `run`, `judge` or `batch import`.
        command: The command line, for the record.
        labels: The source of trusted verdicts.
        jury: Rule that combines the judges' verdicts into one more.
        environments: Custom simulated worlds, by class name, or None for those that the settings name.
    """
    fields = settings.named(Plan.__struct_fields__)
    cases, outputs = shards_of(fields["cases"]), shards_of(fields["outputs"])
    derived_fields: dict[str, Any] = {
        "command": command,
        "cases": cases.files,
        "outputs": outputs.files,
        "sharded": cases.sharded or outputs.sharded,
        "labels": labels,
        "jury": jury,
        "retry_unreadable": _retry_count(settings),
        "environments": _environments(settings) if environments is None else environments,
    }
    if isinstance(settings, JudgingSettings):
        derived_fields |= {
            "prices": known_prices(settings.price),
            "priced": settings.price,
            "batch": _batch(settings),
        }
        derived_fields["api"] = judging_api(settings)
    if isinstance(settings, RunSettings):
        derived_fields |= _checking_fields(settings)
    return Plan(**{**fields, **derived_fields})


def _environments(settings: DeclaredSettings) -> Mapping[str, type]:
    worlds: tuple[str, ...] = getattr(settings, "worlds", ())
    if not worlds:
        return {}
    from .checking import worlds_of  # noqa: PLC0415 - judging alone needs no checkers

    return worlds_of(worlds)


def _retry_count(settings: DeclaredSettings) -> int:
    """Return how many later commands ask again: none for a recording or a batch."""
    if not isinstance(settings, EvaluatingSettings) or settings.replay is not None:
        return 0
    return settings.retry_unreadable


def _batch(settings: JudgingSettings) -> BatchMode | None:
    seconds = settings.batch_poll_seconds
    return None if seconds is None else BatchMode(poll_seconds=seconds)


def _checking_fields(settings: RunSettings) -> dict[str, Any]:
    """Return the fields of a plan that need checkers, and the engine."""
    from .checking import check_options  # noqa: PLC0415 - judging alone needs no checkers

    workspaces = settings.named(names_of(WorkspacesSettings))
    return {
        "options": check_options(
            settings.rules, settings.functions, settings.worlds, text=settings.text, **workspaces
        ),
        "judge_on": parse_judge_on(settings.judge_on),
        "engine": engine_of(settings.engine, settings.address, settings.workers),
    }


def jury_rule(rule: Any, weights: tuple[float, ...], unsure: tuple[float, float]) -> JuryRule:
    """Return the rule of a jury, by its name."""
    from ..evaluation.judging.composites import JuryRule  # noqa: PLC0415 - most runs have none

    return JuryRule(rule=rule, weights=weights, unsure=unsure)


def run(plan: Plan, access: Access, *, progress: bool | None = None) -> RunSummary:
    """Run a plan, or resume it, and write the report.

    Raises:
        InputError: An input cannot be used; nothing was done.
        RunFolderError: The folder is in use or belongs to another run; nothing was done.
        UsageError: There is no such judge; nothing was done.
        ConfigurationError: Only a model is left to ask, and none can be reached; nothing was done.
    """
    access_once = cache(lambda: msgspec.structs.replace(access(), meanwhile=_preload(plan)))
    with show_progress(enabled=progress) as progress_display:
        with plan.engine or nullcontext():
            summary = run_plan(plan, access_once, progress_display, lambda: datetime.now(UTC))
        from ..report.from_run import report_on  # noqa: PLC0415 - loaded while the first replies are awaited

        if not summary.unchanged:
            progress_display.begin("writing the report", 0)
        report_on(plan.out, unchanged=summary.unchanged)
    return summary


def _preload(plan: Plan) -> Iterator[None]:
    """Load modules for the end of a run, step by step, while the first replies are pending."""
    import jinja2  # noqa: F401, PLC0415 # pyright: ignore[reportUnusedImport] - not before the first calls are in flight

    yield
    from ..evaluation.conclusion import conclude  # noqa: F401, PLC0415 # pyright: ignore[reportUnusedImport] - as above

    yield
    from ..report import calibration_page  # noqa: F401, PLC0415 # pyright: ignore[reportUnusedImport] - as above

    yield
    from ..report.html import report_template  # noqa: PLC0415 - as above

    yield
    from . import run_display  # noqa: F401, PLC0415 # pyright: ignore[reportUnusedImport] - as above

    yield
    report_template()
    yield
    component_versions()
    yield
    if plan.prices is not None and plan.model is not None and not plan.priced:
        keep_price(plan.model)
    gc.freeze()  # loaded modules stay; another garbage collection over them takes 50 ms


def forecast(plan: Plan, access: ModelAccess, *, progress: bool | None = None) -> Forecasts:
    """Forecast a plan's judging without making a call or writing to the run folder."""
    from ..evaluation.forecast import forecast_run  # noqa: PLC0415 - most runs are not forecast
    from .forecasts import Forecasts  # noqa: PLC0415 - most runs are not forecast

    with show_progress(enabled=progress) as progress_display:
        return Forecasts(judges=forecast_run(plan, access, progress_display))


def reparse(folder: Path, *, progress: bool | None = None) -> Reparsing:
    """Parse every reply of a run again, without a call to a model.

    Raises:
        RunFolderError: It is not a run folder, it is in use, or its inputs were moved or changed.
        PromptError: A prompt file was removed, or cannot be used.
    """
    from ..evaluation.past_runs.reparsing import reparse as parse_again  # noqa: PLC0415 - seldom needed
    from ..report.from_run import report_on  # noqa: PLC0415 - seldom needed
    from .run_display import Reparsing  # noqa: PLC0415 - seldom needed

    with show_progress(enabled=progress) as progress_display:
        judges, summary = parse_again(
            folder, progress_display, lambda: datetime.now(UTC), prices=known_prices()
        )
    report = None if summary is None else report_on(folder)
    assert report is None or isinstance(report, Path)
    return Reparsing(judges=judges, summary=summary, report=report)


def engine_of(name: str | None, address: str | None = None, workers: int | None = None) -> RayEngine | None:
    """Return the engine of this name, with ``workers`` tasks or actors at a time.

    It is started, or joined at the address, at the start of the work.

    Raises:
        UsageError: There is no such engine, or an address without an engine.
        MissingExtraError: It is not installed.
    """
    if name is None:
        if address is not None:
            raise UsageError(f"{setting('address')} is for an engine; name it with {setting('engine')} (ray)")
        return None
    if name != "ray":
        raise UsageError(f"there is no engine {name!r}; expected ray")
    if find_spec("ray") is None:  # raised before any work begins
        raise MissingExtraError("ray", spelled_word("engine", "ray"))
    return RayEngine(address, workers)
