"""Command-line options as frozen structs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from ..api.pass_thresholds import PassAt

Options = TypeVar("Options", bound=msgspec.Struct)


class ReachingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for access to a model and its budget; see `reaching_options`."""

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


class JudgingOptions(ReachingOptions, frozen=True, kw_only=True):
    """Options of every command that asks judges; see `model_options`."""

    model: str | None = None
    judge_parameters: Mapping[str, Any] = {}
    repeats: int = 1
    batch: bool = False
    poll_seconds: float = 30.0
    worlds: tuple[str, ...] = ()

    @property
    def batch_poll_seconds(self) -> float | None:
        """Seconds between looks at a batch; None if the model is asked directly."""
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
    generates: bool = False
    generate: str | None = None
    generate_base_url: str | None = None


def typed_options(kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Return the options that a type names; the others are a command's own."""
    return kind(**{name: given[name] for name in kind.__struct_fields__ if name in given})
