"""`fiducial generate`: generate outputs for cases with a model or an agent."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import GeneratingOptions, RunOptions, access_options, model_access, select_options
from .option_sources import refuse_typed
from .param_types import INPUT_FILE, OUT_FILE, Number, Whole, decoding_parameters
from .shared_options import (
    SectionedCommand,
    compose,
    dry_run_option,
    environment_option,
    option,
    out_option,
    section,
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


WORKS = "How a model or agent works on the cases"
"""Heading of these options in `--help`."""

model_setting_options = section(
    WORKS,
    option("--mode", type=click.Choice(["tools", "prompt"]), default="tools", help="Native tools, or BFCL's instructions and calls in the text."),
    option("--parameter", "parameters", multiple=True, callback=decoding_parameters, metavar="NAME=VALUE", help="A decoding parameter, such as temperature=0; may be given several times."),
    option("--steps-per-turn", type=Whole(1, 10_000), default=21, help="Maximum steps per turn; one more ends the conversation."),
)  # fmt: skip
"""Options for asking a generating model."""

search_options = compose(
    option("--search", metavar="CORPUS|URL", help="The web: pages as JSON Lines or a folder, or a search service."),
    option("--embedding-model", metavar="NAME", help="Model of the vector memory, at the same endpoint.  [default: hashed words]"),
)  # fmt: skip
"""Options for the web and the vector memory."""

tool_options = section(
    WORKS,
    option("--histories", type=INPUT_FILE, help="Earlier conversations of an agent with a memory (docs/generate.md)."),
    search_options,
)  # fmt: skip
"""Options for an agent's memory and web."""

agent_options = section(
    WORKS,
    option("--agent", metavar="COMMAND", help="A command to run instead of a model: it reads a case as JSON on standard input and writes an output as JSON."),
    option("--agent-calls", is_flag=True, help="The command calls the case's tools: JSON Lines both ways (docs/generate.md)."),
    option("--agent-timeout", type=Number(0, min_open=True), default=300.0, help="Seconds for each run of the command."),
    option("--system", help="Name of the model or agent in outputs.  [default: the model's name; agent]"),
    option("--user-model", metavar="NAME", help="The model that plays the users of cases with a goal (docs/trajectories.md)."),
    option("--user-base-url", metavar="URL[,key-env=NAME]", help="Endpoint of that model; --api-key-env is not sent there.  [default: the other model's]"),
    option("--trials", type=Whole(1, 1000), default=1, help="Attempts at each case."),
    option("--again", is_flag=True, help="Discard existing outputs and generate them again, for instance after a change of the agent."),
    option("--keep-crashes", is_flag=True, help="Grade an agent 0 that fails in one way on the first 8 cases, instead of stopping."),
)  # fmt: skip
"""Options for agents, trials and settings of generation, besides the model."""


@click.command("generate", cls=SectionedCommand, epilog=_EXAMPLE)
@click.argument("cases", type=INPUT_FILE)
@option("--model", metavar="NAME", help="The model that works on the cases.")
@agent_options
@model_setting_options
@tool_options
@environment_option
@access_options
@out_option(OUT_FILE, "File for the outputs (JSON Lines); the same command resumes it.")
@option("--accept-edited", is_flag=True, help="Accept outputs that were edited by hand.")
@dry_run_option
def command(*, cases: Path, out: Path, **values: Any) -> int:
    """Run a model or a custom agent on CASES; keep the outputs.

    A case and trial that has an output is skipped, so the same command continues an interrupted generation and retries failures. Exit code
    3: finished, but calls failed; those attempts have no output, and OUT.attempts.jsonl has the reasons.
    """
    from ..api.generating_files import forecast_file, generate_file

    options = select_options(GeneratingOptions, values)
    source = source_of(options, options.model, out, lambda: model_access(options))
    if options.dry_run:
        forecast = forecast_file(
            source, cases, out, trials=options.trials, again=options.again, prices=options.price
        )
        click.echo(str(forecast))
        return EXIT_OK
    generation = generate_file(
        source,
        cases,
        out,
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
    options: GeneratingOptions, model: str | None, out: Path, access: Callable[[], ModelAccess]
) -> OutputSource:
    """Return the source of outputs that the options of this module name."""
    from ..api.generating_files import choose_source

    if (model is None) != (options.agent is None):
        _refuse_unused(options)
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
        worlds=options.worlds,
        histories=options.histories,
        search=options.search,
        embedding_model=options.embedding_model,
        mode=options.mode,
        parameters=options.parameters,
        steps_per_turn=options.steps_per_turn,
        user_model=options.user_model,
        user_access=None if options.user_base_url is None else lambda agents: _user_access(options, agents),
    )


_MODEL_OPTIONS = ("mode", "parameters", "steps_per_turn")
_COMMAND_OPTIONS = ("agent_timeout", "keep_crashes")
_TOOL_OPTIONS = ("histories", "search")
_COMMON_OPTIONS = ("system", "agent_calls", "embedding_model", "user_model", "user_base_url", "trials", "again", "generate_base_url")  # fmt: skip


def refuse_generating_options() -> None:
    """Refuse typed options for generating outputs, for a run of existing ones."""
    every = (*_MODEL_OPTIONS, *_COMMAND_OPTIONS, *_TOOL_OPTIONS, *_COMMON_OPTIONS)
    refuse_typed(every, "is for generating outputs; add --generate MODEL or --agent COMMAND, or drop it")


def _refuse_unused(options: GeneratingOptions) -> None:
    """Refuse typed options of models for a command, and of commands for a model."""
    if options.agent is None:
        refuse_typed(_COMMAND_OPTIONS, "is for commands (--agent); drop it for a model")
        return
    refuse_typed(_MODEL_OPTIONS, "is for models; drop it for a command (--agent)")
    if options.user_model is None:
        refuse_typed(["embedding_model"], "is for models; drop it for a command (--agent)")
    if not options.agent_calls:
        refuse_typed(_TOOL_OPTIONS, "is for commands that call tools; add --agent-calls, or drop it")


def generate_first(options: RunOptions, access: Callable[[], ModelAccess]) -> Generation:
    """Generate the outputs of a run as its first phase.

    They are generated at --generate-base-url, or at the judges' endpoint.
    """
    from ..api.generating_files import GENERATED, generate_into_run

    out = options.out / GENERATED
    source = source_of(options, options.generate, out, lambda: _generating_access(options, access))
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


def forecast_first(options: RunOptions, access: Callable[[], ModelAccess]) -> bool:
    """Print the forecast of a run's first phase, and return whether its outputs exist already.

    The cost of judging can be forecast only if they exist.
    """
    from ..api.generating_files import GENERATED, forecast_file

    out = options.out / GENERATED
    source = source_of(options, options.generate, out, lambda: _generating_access(options, access))
    forecast = forecast_file(
        source, options.cases, out, trials=options.trials, again=options.again, prices=options.price
    )
    click.echo(str(forecast))
    if not forecast.outputs_exist:
        click.echo("the cost of judging can be forecast once these outputs exist")
    return forecast.outputs_exist


def _generating_access(options: RunOptions, judging: Callable[[], ModelAccess]) -> ModelAccess:
    """Return access to the model that generates: at its own endpoint, or the judges'."""
    url = options.generate_base_url
    return judging() if url is None or url == options.base_url else _access_at(options, url)


def _user_access(options: GeneratingOptions, agents: ModelAccess) -> ModelAccess:
    """Return access to the user model at its own endpoint; both models share a budget."""
    assert options.user_base_url is not None
    if options.user_base_url == options.base_url:
        return agents
    return msgspec.structs.replace(_access_at(options, options.user_base_url), budget=agents.budget)


def _access_at(options: GeneratingOptions, endpoint: str) -> ModelAccess:
    """Return access to a model at its own endpoint, without another endpoint's key."""
    only = {"base_url": None, "connection": None, "api_key_env": None, "endpoints": (endpoint,)}
    return model_access(msgspec.structs.replace(options, **only))
