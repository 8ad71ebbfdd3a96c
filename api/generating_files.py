"""Outputs made by a model or an agent's command, into a file, a run, or a BFCL result tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..evaluation.bfcl.generate_results import foresee_tree, generate_tree, system_folder
from ..evaluation.generation.binding import memories_beside
from ..evaluation.generation.foreseeing import GenerationForecast, foresee_generation
from ..evaluation.generation.generate import Tally
from ..evaluation.generation.model_agent import ModelSettings
from ..evaluation.generation.output_sources import Source, command_source, model_source
from ..evaluation.generation.output_sources import generate_file as make_file
from ..evaluation.generation.output_sources import generate_into_run as make_into_run
from ..evaluation.judging.access import ModelAccess
from ..evaluation.shards import shards_of
from ..evaluation.store.file_names import GENERATED
from ..formats.bfcl import DataSource, expand, open_source
from ..judges.prices import price_list
from ..report.forecast_words import generation_forecast
from ..report.generation_words import generation_lines
from .check_options import Worlds
from .places import FilePath, folder_path, input_path, written_path
from .progress import shown_progress
from .scenes import bfcl_histories, scenes_of, server_embedding
from .shown import Document, Shown
from .sources import paths_of

__all__ = [
    "GENERATED",
    "Foreseen",
    "Generation",
    "ModelAccess",
    "Source",
    "foresee_bfcl",
    "foresee_file",
    "generate_bfcl",
    "generate_file",
    "generate_into_run",
    "who_generates",
]

_AGENTS = 8
"""Commands at work at the same time at most."""


class Generation(Shown, frozen=True, kw_only=True):
    """What a generation came to.

    Attributes:
        name: Of the system, or of the category.
        tally: How many outputs there were, were made, and are missing.
        cost: US dollars for the tokens that were asked for now; None where no model was asked, or its price is not known.
    """

    name: str
    tally: Tally
    cost: float | None = None

    @classmethod
    def by(cls, source: Source, tally: Tally, prices: Sequence[str], name: str | None = None) -> Generation:
        """What a source made, of a category where one is named, with what that cost."""
        model = None if source.model is None else source.model.settings.model
        known = None if model is None or not tally.prompt_tokens else price_list(prices)(model)
        cost = None if known is None else known.cost(tally.prompt_tokens, tally.completion_tokens)
        return cls(name=name or source.system, tally=tally, cost=cost)

    def document(self) -> Document:
        """It in words."""
        return generation_lines(self.tally, self.name, self.cost)


def who_generates(
    *,
    model: str | None,
    agent: str | None,
    out: Path,
    access: Callable[[], ModelAccess],
    environment: Mapping[str, str],
    system: str | None = None,
    agent_timeout: float = 300.0,
    agent_calls: bool = False,
    keep_crashes: bool = False,
    concurrency: int = 64,
    worlds: Worlds = None,
    histories: Any = None,
    search: str | None = None,
    embedding_model: str | None = None,
    **settings: Any,
) -> Source:
    """Who generates: a model, or a command, which may call the tools of cases as it works; ``settings`` say how the model is asked."""
    if (model is None) == (agent is None):
        raise UsageError("expected either a model or an agent (--agent COMMAND)")
    if agent_calls and agent is None:
        raise UsageError("--agent-calls says how a command works: add --agent COMMAND")
    reached = None if model is None else access()
    scenes = None
    if reached is not None or agent_calls:
        scenes = scenes_of(
            worlds or (),
            histories=histories,
            memories=memories_beside(out, system or model or "agent"),
            search=search,
            embedding=server_embedding(embedding_model, None if reached is None else reached.endpoint),
        )
    if agent is not None:
        return command_source(
            agent,
            environment,
            system=system,
            seconds=agent_timeout,
            concurrency=min(concurrency, _AGENTS),
            scenes=scenes,
            keep_crashes=keep_crashes,
        )
    assert model is not None
    assert reached is not None
    assert scenes is not None
    return model_source(ModelSettings(model=model, **settings), reached, scenes, system=system)


def generate_file(
    source: Source,
    cases: FilePath,
    out: FilePath,
    *,
    progress: bool | None = None,
    prices: Sequence[str] = (),
    **options: Any,
) -> Generation:
    """Let a model or a command work on cases, and keep the outputs in a file; the same call goes on with it."""
    with shown_progress(wanted=progress) as shown:
        tally = make_file(source, input_path(cases), written_path(out), shown, **options)
    return Generation.by(source, tally, prices)


class Foreseen(Shown, frozen=True, kw_only=True):
    """What generating would take."""

    forecast: GenerationForecast

    @property
    def outputs_are_there(self) -> bool:
        """Whether nothing is left to be made."""
        return self.forecast.kept == self.forecast.wanted

    def document(self) -> Document:
        """It in words."""
        return generation_forecast(self.forecast)


def foresee_file(
    source: Source,
    cases: FilePath | Sequence[FilePath],
    out: FilePath,
    *,
    trials: int = 1,
    again: bool = False,
    prices: Sequence[str] = (),
) -> Foreseen:
    """What generating would take, without a call and without a trace."""
    files = shards_of(paths_of(cases)).files
    return Foreseen(
        forecast=foresee_generation(
            source, files, written_path(out), price_list(prices), trials=trials, again=again
        )
    )


def generate_into_run(
    source: Source,
    cases: FilePath | Sequence[FilePath],
    run: FilePath,
    *,
    progress: bool | None = None,
    prices: Sequence[str] = (),
    **options: Any,
) -> Generation:
    """The same, into a run's folder, as ``GENERATED``."""
    with shown_progress(wanted=progress) as shown:
        files = shards_of(paths_of(cases)).files
        tally = make_into_run(source, files, folder_path(run), shown, **options)
    return Generation.by(source, tally, prices)


def generate_bfcl(
    data: FilePath,
    results: FilePath,
    categories: Iterable[str],
    *,
    prices: Sequence[str] = (),
    count_failures: bool = False,
    progress: bool | None = None,
    **asking: Any,
) -> list[Generation]:
    """Let a model work on BFCL's entries, category by category, and write its answers as BFCL's result tree."""
    source, by = _asked_by_bfcl(data, results, **asking)
    with shown_progress(wanted=progress) as shown:
        done = generate_tree(
            source, expand(categories), by, written_path(results), shown, count_failures=count_failures
        )
        return [Generation.by(by, tally, prices, category.name) for category, tally in done]


def foresee_bfcl(
    data: FilePath,
    results: FilePath,
    categories: Iterable[str],
    *,
    prices: Sequence[str] = (),
    **asking: Any,
) -> Foreseen:
    """What that would take, without a call and without a trace; see `generate_bfcl`."""
    source, by = _asked_by_bfcl(data, results, **asking)
    found = foresee_tree(source, expand(categories), by, written_path(results), price_list(prices))
    return Foreseen(forecast=found)


def _asked_by_bfcl(
    data: FilePath,
    results: FilePath,
    *,
    access: ModelAccess,
    system: str | None,
    search: str | None = None,
    embedding_model: str | None = None,
    **settings: Any,
) -> tuple[DataSource, Source]:
    asked, source = ModelSettings(**settings, any_type="string"), open_source(input_path(data))
    scenes = scenes_of(
        histories=bfcl_histories(source),
        memories=system_folder(written_path(results), system or asked.model) / "memory_snapshot",
        search=search,
        embedding=server_embedding(embedding_model, access.endpoint),
        rules="bfcl",
    )
    return source, model_source(asked, access, scenes, system=system)
