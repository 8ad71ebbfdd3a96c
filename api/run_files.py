"""Runs from files into a folder, with all options.

`fiducial.evaluate` has fewer options.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Required, TypeAlias, TypedDict, Unpack

import msgspec

from ..errors import MissingExtraError, UsageError
from ..evaluation.engines.ray_engine import RayEngine
from ..evaluation.judging.access import BatchMode, ModelAccess
from ..evaluation.judging.judge_task import JudgeOn, parse_judge_on
from ..evaluation.pipeline import run as run_plan
from ..evaluation.run_plan import Plan
from ..evaluation.store.file_names import GENERATED
from ..evaluation.store.manifest import component_versions
from ..records import FolderPath, InputPath
from ..records.disk_files import shards_of
from ..spelling import setting
from .price_memory import keep_price, known_prices
from .progress_bars import show_progress

if TYPE_CHECKING:
    from ..calibration.pass_threshold import PassAt
    from ..deterministic.options import CheckOptions
    from ..evaluation.checking.dotted_names import NamesOption
    from ..evaluation.engines.ray_engine import RayEngine
    from ..evaluation.judging.composites import JuryRule
    from .forecasts import Forecasts
    from .run_display import Reparsing, RunResults

__all__ = [
    "GENERATED",
    "Access",
    "CheckingStage",
    "ModelAccess",
    "Plan",
    "engine_of",
    "forecast",
    "parse_judge_on",
    "plan_of",
    "reparse",
    "run",
]


Access: TypeAlias = Callable[[], ModelAccess]
"""Function that returns access to a model; called only if one is needed."""


class CheckingStage(TypedDict, total=False):
    """Fields of a plan that need checkers."""

    options: CheckOptions | None
    names: NamesOption
    judge_on: JudgeOn
    workers: int | None
    engine: RayEngine | None


class PlanFields(CheckingStage, total=False):
    """Fields of a plan that are passed unchanged; see `Plan`."""

    out: Required[FolderPath]
    command: Required[str]
    judges: Sequence[str]
    model: str | None
    labels: InputPath | None
    pass_at: PassAt
    repeats: int
    split: bool
    split_model: str | None
    environments: Mapping[str, type]
    judge_parameters: Mapping[str, Any]
    notes: Sequence[str]
    accept_edited: bool


def plan_of(
    *,
    prices: Sequence[str] | None = None,
    jury: str | None = None,
    weights: tuple[float, ...] = (),
    unsure: tuple[float, float] = (0.2, 0.8),
    poll_seconds: float | None = None,
    cases: Sequence[InputPath],
    outputs: Sequence[InputPath],
    **fields: Unpack[PlanFields],
) -> Plan:
    """Return the settings of a run.

    Args:
        prices: Prices in addition to the public list, ``[MODEL=]IN/OUT[/CACHED]`` in dollars for a million tokens; None omits costs.
        jury: Rule that combines the judges' verdicts into one more.
        weights: Weight of each judge in the jury.
        unsure: Range of scores on which ``escalate`` asks the second judge.
        poll_seconds: Seconds between checks of a provider's batch; None asks the model directly.
        cases: Files of cases, or folders of shards.
        outputs: Files of outputs, or folders of shards.
        **fields: Fields of `Plan` that are passed unchanged.
    """
    case_shards, output_shards = shards_of(cases), shards_of(outputs)
    return Plan(
        cases=case_shards.files,
        outputs=output_shards.files,
        sharded=case_shards.sharded or output_shards.sharded,
        prices=None if prices is None else known_prices(prices),
        priced=tuple(prices or ()),
        jury=None if jury is None else _jury(jury, weights, unsure),
        batch=None if poll_seconds is None else BatchMode(poll_seconds=poll_seconds),
        **fields,
    )


def _jury(rule: Any, weights: tuple[float, ...], unsure: tuple[float, float]) -> JuryRule:
    from ..evaluation.judging.composites import JuryRule  # noqa: PLC0415 - most runs have none

    return JuryRule(rule=rule, weights=weights, unsure=unsure)


def run(plan: Plan, access: Access, *, progress: bool | None = None) -> RunResults:
    """Run a plan, or resume it, and write the report.

    Raises:
        InputError: An input cannot be used; nothing was done.
        RunFolderError: The folder is in use or belongs to another run; nothing was done.
        UsageError: There is no such judge; nothing was done.
        ConfigurationError: Only a model is left to ask, and none can be reached; nothing was done.
    """
    reached = cache(lambda: msgspec.structs.replace(access(), meanwhile=_load(plan)))
    with show_progress(enabled=progress) as shown, plan.engine or nullcontext():
        summary = run_plan(plan, reached, shown, lambda: datetime.now(UTC))
    from ..report.from_run import report_on  # noqa: PLC0415 - loaded while the first replies are awaited
    from .run_display import RunResults  # noqa: PLC0415 - loaded while the first replies are awaited

    report = report_on(plan.out, unchanged=summary.unchanged)
    assert isinstance(report, Path)
    return RunResults(plan=plan, summary=summary, report=report)


def _load(plan: Plan) -> Iterator[None]:
    """Load, step by step, what the end of a run needs while the first replies are pending."""
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

    with show_progress(enabled=progress) as shown:
        return Forecasts(judges=forecast_run(plan, access, shown))


def reparse(folder: Path, *, progress: bool | None = None) -> Reparsing:
    """Parse every reply of a run again, without a call to a model.

    Raises:
        RunFolderError: It is not a run folder, it is in use, or its inputs were moved or changed.
        PromptError: A prompt file was removed, or cannot be used.
    """
    from ..evaluation.past_runs.reparsing import reparse as read_again  # noqa: PLC0415 - seldom needed
    from ..report.from_run import report_on  # noqa: PLC0415 - seldom needed
    from .run_display import Reparsing  # noqa: PLC0415 - seldom needed

    with show_progress(enabled=progress) as shown:
        judges, summary = read_again(folder, shown, lambda: datetime.now(UTC), prices=known_prices())
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
        raise MissingExtraError("ray", setting("engine", "ray"))
    return RayEngine(address, workers)
