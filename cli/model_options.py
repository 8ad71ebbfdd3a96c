"""Options for access to models and for juries, and structs of typed options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click
import msgspec

from ..api.model_access import model_access as api_model_access
from ..api.model_access import use_lines
from ..errors import ConfigurationError, UsageError
from .option_sources import from_team_file, refuse_typed
from .param_types import INPUT_FILE, OUT_FILE, Number, Whole, decoding_parameters
from .shared_options import F, compose, dry_run_option, option, price_option, section

if TYPE_CHECKING:
    from ..api.pass_thresholds import PassAt
    from ..api.run_files import ModelAccess

Options = TypeVar("Options", bound=msgspec.Struct)


access_options = section(
    "Model access and cost",
    option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint.  [default: $OPENAI_BASE_URL]"),
    option("--endpoint", "endpoints", multiple=True, metavar="URL[,key-env=NAME][,weight=W][,model=NAME]", help="One of several endpoints that share the load (docs/configuration.md); may be given several times."),
    option("--connection", metavar="NAME|FILE.yml", help="A connection of promptflow, instead of --base-url and --api-key-env (docs/promptflow.md)."),
    option("--api-key-env", metavar="NAME", help="Variable that holds the key.  [default: OPENAI_API_KEY]"),
    option("--concurrency", type=Whole(1, 4096), default=64, help="Maximum calls in flight."),
    option("--timeout", type=Number(0.1), default=60.0, help="Time limit of one call, in seconds."),
    option("--attempts", type=Whole(1, 20), default=6, help="Maximum failed calls per request."),
    option("--patience", type=Number(0), default=10.0, help="Retry a call that takes this many times as long as usual; 0: never."),
    option("--expect-served-by", metavar="MODEL", help="Accept replies only from this model, in any release, if the endpoint names the model."),
    option("--cache", type=OUT_FILE, help="The reply cache's file.  [default: in the user's cache folder]"),
    option("--no-cache", is_flag=True, help="Neither read nor write the reply cache."),
    option("--record", type=OUT_FILE, help="Also append every reply to this file."),
    option("--replay", type=INPUT_FILE, help="Answer from a recording only; send no request."),
    option("--max-calls", type=Whole(0), metavar="N", help="Make no more calls than this, retries included."),
    option("--max-cost", type=Number(0), metavar="USD", help="Spend no more than this."),
    price_option,
)  # fmt: skip
"""Options for access to a model, for any purpose."""


parameter_option = option(
    "--judge-parameter", "judge_parameters", multiple=True, metavar="NAME=VALUE", callback=decoding_parameters,
    help="Override a decoding parameter of the prompt, e.g. reasoning_effort=low; null omits it. May be given several times.",
)  # fmt: skip


def model_options_repeating(repeats: int) -> Callable[[F], F]:
    """Return the options for a judging model, with the default of ``--repeats``."""
    return compose(
        option("--model", metavar="NAME", help="The judging model; `baseline` is the word overlap baseline, no model."),
        parameter_option,
        access_options,
        option("--repeats", type=Whole(1, 100), default=repeats, help="Number of times each output is judged."),
        option("--batch", is_flag=True, help="Use the provider's batch endpoint: cheaper, done within a day."),
        option("--poll-seconds", type=Number(0), default=30.0, help="Seconds between checks of a batch's status."),
        dry_run_option,
    )  # fmt: skip


model_options = model_options_repeating(1)


class AccessOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for access to a model and its budget; see `access_options`."""

    base_url: str | None = None
    endpoints: tuple[str, ...] = ()
    connection: str | None = None
    api_key_env: str | None = None
    concurrency: int = 64
    timeout: float = 60.0
    attempts: int = 6
    patience: float = 10.0
    expect_served_by: str | None = None
    cache: Path | None = None
    no_cache: bool = False
    record: Path | None = None
    replay: Path | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    price: tuple[str, ...] = ()
    dry_run: bool = False


class JudgingOptions(AccessOptions, frozen=True, kw_only=True):
    """Options of every command that asks judges; see `model_options`."""

    model: str | None = None
    judge_parameters: Mapping[str, Any] = {}
    repeats: int = 1
    batch: bool = False
    poll_seconds: float = 30.0
    worlds: tuple[str, ...] = ()

    @property
    def batch_poll_seconds(self) -> float | None:
        """Seconds between checks of a batch; None if the model is asked directly."""
        return self.poll_seconds if self.batch else None


class GeneratingOptions(JudgingOptions, frozen=True, kw_only=True):
    """Options of every command that generates outputs; see `agent_options`."""

    agent: str | None = None
    system: str | None = None
    agent_timeout: float = 300.0
    agent_calls: bool = False
    keep_crashes: bool = False
    histories: Path | None = None
    search: str | None = None
    embedding_model: str | None = None
    mode: str = "tools"
    parameters: Mapping[str, Any] = {}
    steps_per_turn: int = 21
    user_model: str | None = None
    user_base_url: str | None = None
    trials: int = 1
    again: bool = False
    accept_edited: bool = False


class RunOptions(GeneratingOptions, frozen=True, kw_only=True):
    """Options of `run` and `judge`; options that `judge` does not have keep their defaults."""

    cases: tuple[Path, ...]
    outputs: tuple[Path, ...]
    out: Path
    judges: tuple[str, ...]
    labels: Path | None
    pass_at: PassAt
    jury: str | None
    weights: str | None
    unsure: str
    split_statements: bool
    split_model: str | None
    fail_under: tuple[str, ...]
    min_graded: float | None
    verbose: bool
    quiet: bool
    generate: str | None = None
    generate_base_url: str | None = None

    @property
    def generates(self) -> bool:
        """True if a model or an agent generates outputs first."""
        return self.generate is not None or self.agent is not None


def select_options(struct: type[Options], values: Mapping[str, Any]) -> Options:
    """Return the options that a struct has; others belong to the command."""
    return struct(**{name: values[name] for name in struct.__struct_fields__ if name in values})


def model_access(options: AccessOptions, environment: Mapping[str, str] = os.environ) -> ModelAccess:
    """Return access to a model from options and environment variables.

    A dry run needs no endpoint and no key.

    Raises:
        ConfigurationError: No endpoint is configured, or a key is missing.
    """
    replay = options.replay
    if options.dry_run:
        environment = _with_placeholders(options, environment)
    endpoints = _endpoints(options)
    connection = None if replay or endpoints else _connection(options)
    return api_model_access(
        None,
        options.concurrency,
        endpoints=endpoints,
        on_endpoint_usage=lambda uses: [click.echo(line, err=True) for line in use_lines(uses)],
        base_url=None if connection or endpoints else options.base_url,
        api_key=None if connection or replay else _key(options.api_key_env, environment),
        connection=connection,
        record=options.record,
        replay=replay,
        cache=not options.no_cache and (options.cache or True),
        timeout=options.timeout,
        attempts=options.attempts,
        patience=options.patience,
        served_by=options.expect_served_by,
        max_calls=options.max_calls,
        max_cost=options.max_cost,
        prices=options.price,
        environment=environment,
    )


def _with_placeholders(options: AccessOptions, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables; a missing key or version gets its own name as a placeholder."""
    keys = re.findall(r"key[-_]env=([^,]+)", ",".join(options.endpoints))
    needed = ["OPENAI_API_KEY", "OPENAI_API_VERSION", *keys, *filter(None, [options.api_key_env])]
    return {**environment, **{name: environment.get(name) or name for name in needed}}


def _endpoints(options: AccessOptions) -> Sequence[str]:
    """Return the endpoints, unless typed options override those of the team file."""
    others = [name for name in ("base_url", "connection") if getattr(options, name) is not None]
    endpoints = options.endpoints
    if not endpoints or not others:
        return endpoints
    if from_team_file("endpoints") == from_team_file(*others):
        raise UsageError(f"--endpoint has the address; drop --{others[0].replace('_', '-')}")
    return () if from_team_file("endpoints") else endpoints


def _connection(options: AccessOptions) -> str | None:
    """Return the connection, unless typed options override that of the team file."""
    others = [name for name in ("base_url", "api_key_env") if getattr(options, name) is not None]
    connection = options.connection
    if connection is None or not others:
        return connection
    if from_team_file("connection") == from_team_file(*others):
        raise UsageError(f"--connection has the address and the key; drop --{others[0].replace('_', '-')}")
    return None if from_team_file("connection") else connection


def _key(api_key_env: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the key in the named variable; None if no variable is named."""
    if api_key_env is None:
        return None
    if not environment.get(api_key_env):
        raise ConfigurationError(f"--api-key-env {api_key_env}: this variable is not set")
    return environment[api_key_env]


jury_options = section(
    "Juries, and answers judged by statements",
    option("--jury", type=click.Choice(["majority", "mean", "escalate"]),
           help="Also combine the judges' verdicts and repeats into one; escalate: ask the second judge if the first is unsure."),
    option("--weights", metavar="W,W...", help="Weight of each judge in the jury.  [default: 1 each]"),
    option("--unsure", metavar="LOW-HIGH", default="0.2-0.8",
           help="Scores of the first judge on which --jury escalate asks the second; 0-0.5 means all that fail."),
    option("--split-statements", is_flag=True,
           help="Split long answers into statements and judge each (groundedness, custom prompts); each answer also gets one verdict."),
    option("--split-model", metavar="MODEL", help="The model that splits answers.  [default: the judge's]"),
)  # fmt: skip


class JuryFields(TypedDict, total=False):
    """Arguments of `plan_of` for juries and for splitting answers."""

    jury: str
    weights: tuple[float, ...]
    unsure: tuple[float, float]
    split: bool
    split_model: str | None


def jury_options_of(options: RunOptions) -> JuryFields:
    """Return the options for juries and for splitting answers, as arguments of `plan_of`."""
    if options.split_model is not None and not options.split_statements:
        raise UsageError("--split-model goes with --split-statements")
    if options.jury != "escalate":
        refuse_typed(["unsure"], "goes with --jury escalate")
    fields = JuryFields(split=options.split_statements, split_model=options.split_model)
    if options.jury is None:
        if options.weights is not None:
            raise UsageError("--weights goes with --jury")
        return fields
    low, high = _numbers("--unsure", options.unsure, "-", 2)
    if not low <= high:
        raise UsageError(f"--unsure: expected LOW-HIGH, got {options.unsure!r}; it holds no score")
    weights = () if options.weights is None else _numbers("--weights", options.weights, ",", None)
    fields |= {"jury": options.jury, "weights": weights, "unsure": (low, high)}
    return fields


def _numbers(option: str, text: str, separator: str, count: int | None) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, text.split(separator)))
    except ValueError:
        numbers = ()
    if not numbers or (count is not None and len(numbers) != count):
        raise UsageError(f"{option}: expected numbers separated by {separator!r}, got {text!r}")
    return numbers
