"""`fiducial generate`: generate outputs for cases with a model or an agent."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ..settings.generating_settings import GeneratingSettings
from ..settings.verbs.generate import GenerateSettings
from ..settings.verbs.run import RunSettings
from .declared_options import options_of
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import model_access
from .option_sources import require_untyped
from .shared_options import (
    SectionedCommand,
)

if TYPE_CHECKING:
    from ..api.generating_files import Generation, ModelAccess, OutputSource

_EXAMPLE = """\b
Examples:
  fiducial generate cases.jsonl --model gpt-4.1-mini --out outputs.jsonl
  fiducial generate cases.jsonl --model my-model --base-url http://127.0.0.1:8000/v1 \\
      --mode prompt --trials 3 --parameter temperature=0 --out outputs.jsonl
  fiducial generate cases.jsonl --agent 'python my_agent.py' --out outputs.jsonl
"""


@click.command("generate", cls=SectionedCommand, epilog=_EXAMPLE)
@options_of(GenerateSettings)
def command(**values: Any) -> int:
    """Run a model or a custom agent on CASES; keep the outputs.

    A case and trial that has an output is skipped, so the same command continues an interrupted generation and retries failures. Exit code
    3: finished, but calls failed; those attempts have no output, and OUT.attempts.jsonl has the reasons.
    """
    from ..api.generating_files import forecast_file, generate_file

    options = GenerateSettings(**values)
    cases, out = options.cases, options.out
    source = source_of(options, options.model, out, lambda: model_access(options), options.worlds)
    if options.dry_run:
        forecast = forecast_file(
            source,
            cases,
            out,
            only=options.only,
            trials=options.trials,
            again=options.again,
            prices=options.price,
        )
        click.echo(str(forecast))
        return EXIT_OK
    generation = generate_file(
        source,
        cases,
        out,
        only=options.only,
        trials=options.trials,
        progress=True,
        prices=options.price,
        accept_edited=options.accept_edited,
        again=options.again,
    )
    click.echo(str(generation))
    click.echo(f"outputs: {out}")
    return EXIT_PARTIAL if generation.tally.without_output else EXIT_OK


def source_of(
    options: GeneratingSettings,
    model: str | None,
    out: Path,
    access: Callable[[], ModelAccess],
    worlds: tuple[str, ...],
) -> OutputSource:
    """Return the source of outputs that the options name: a model or an agent."""
    from ..api.generating_files import choose_source

    if (model is None) != (options.agent is None):
        _require_all_used(options)
    return choose_source(
        model=model,
        out=out,
        access=access,
        environment=os.environ,
        agent=options.agent,
        system=options.system,
        agent_timeout=options.agent_timeout,
        agent_calls=options.agent_calls,
        keep_crashes=options.keep_crashes,
        concurrency=options.concurrency,
        worlds=worlds,
        histories=options.histories,
        search=options.search,
        embedding_model=options.embedding_model,
        mode=options.mode,
        parameters=options.parameters,
        steps_per_turn=options.steps_per_turn,
        user_model=options.user_model,
        user_access=None
        if options.user_base_url is None
        else lambda agent_access: _user_access(options, agent_access),
    )


# Options by what they are for: one that the chosen source does not use is refused.
_MODEL_OPTIONS = ("mode", "parameters", "steps_per_turn")
_COMMAND_OPTIONS = ("agent_timeout", "keep_crashes")
_TOOL_OPTIONS = ("histories", "search")
_OTHER_OPTIONS = ("system", "agent_calls", "embedding_model", "user_model", "user_base_url", "trials", "again", "generate_base_url")  # fmt: skip


def require_no_generating_options() -> None:
    """Refuse typed options for generating outputs, for a run of existing ones."""
    generating_options = (*_MODEL_OPTIONS, *_COMMAND_OPTIONS, *_TOOL_OPTIONS, *_OTHER_OPTIONS)
    require_untyped(
        generating_options, "is for generating outputs; add --generate MODEL or --agent COMMAND, or drop it"
    )


def _require_all_used(options: GeneratingSettings) -> None:
    """Refuse typed options of models for a command, and of commands for a model."""
    if options.agent is None:
        require_untyped(_COMMAND_OPTIONS, "is for commands (--agent); drop it for a model")
        return
    require_untyped(_MODEL_OPTIONS, "is for models; drop it for a command (--agent)")
    if options.user_model is None:
        require_untyped(["embedding_model"], "is for models; drop it for a command (--agent)")
    if not options.agent_calls:
        require_untyped(_TOOL_OPTIONS, "is for commands that call tools; add --agent-calls, or drop it")


def generate_first(options: RunSettings, access: Callable[[], ModelAccess]) -> Generation:
    """Generate the outputs of a run as its first phase.

    They are generated at --generate-base-url, or at the judges' endpoint.
    """
    from ..api.generating_files import GENERATED, generate_into_run

    outputs_file = options.out / GENERATED
    source = source_of(
        options, options.generate, outputs_file, lambda: _generating_access(options, access), options.worlds
    )
    generation = generate_into_run(
        source,
        options.cases,
        options.out,
        trials=options.trials,
        progress=True,
        prices=options.price,
        accept_edited=options.accept_edited,
        again=options.again,
    )
    if not options.quiet:
        click.echo(str(generation))
    return generation


def forecast_first(options: RunSettings, access: Callable[[], ModelAccess]) -> bool:
    """Print the forecast of a run's first phase, and return whether its outputs exist already.

    The cost of judging can be forecast only if they exist.
    """
    from ..api.generating_files import GENERATED, forecast_file

    outputs_file = options.out / GENERATED
    source = source_of(
        options, options.generate, outputs_file, lambda: _generating_access(options, access), options.worlds
    )
    forecast = forecast_file(
        source, options.cases, outputs_file, trials=options.trials, again=options.again, prices=options.price
    )
    click.echo(str(forecast))
    if not forecast.outputs_exist:
        click.echo("the cost of judging can be forecast once these outputs exist")
    return forecast.outputs_exist


def _generating_access(options: RunSettings, judge_access: Callable[[], ModelAccess]) -> ModelAccess:
    url = options.generate_base_url
    return judge_access() if url is None or url == options.base_url else _access_at(options, url)


def _user_access(options: GeneratingSettings, agent_access: ModelAccess) -> ModelAccess:
    """Return access to the user model at its own endpoint; both models share a budget."""
    assert options.user_base_url is not None
    if options.user_base_url == options.base_url:
        return agent_access
    return msgspec.structs.replace(_access_at(options, options.user_base_url), budget=agent_access.budget)


def _access_at(options: GeneratingSettings, endpoint: str) -> ModelAccess:
    """Return access to a model at its own endpoint, without another endpoint's key."""
    endpoint_only = {"base_url": None, "connection": None, "api_key_env": None, "endpoints": (endpoint,)}
    return model_access(options.replace(**endpoint_only))
