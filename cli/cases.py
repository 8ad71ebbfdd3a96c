"""``fiducial cases``: import other tools' data as cases, and as outputs if it has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..settings.verbs.cases import (
    CasesAgbenchmarkSettings,
    CasesAzureSettings,
    CasesBfclSettings,
    CasesCustomSettings,
    CasesOpenaiSettings,
)
from .declared_options import add_plugin_option, options_of
from .notes import note
from .shared_options import MultiValueCommand

if TYPE_CHECKING:
    from ..api.importing import ImportedSuite


class FormatGroup(click.Group):
    """Group with a command for each built-in format and each registered one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command: a built-in, registered or ``--plugin`` format."""
        from ..api.decorators import has_format

        name, *rest = args
        has_plugin = any(arg.partition("=")[0] == "--plugin" for arg in rest)
        if name in self.commands or name.startswith("-") or not (has_plugin or has_format(name)):
            return super().resolve_command(ctx, args)
        return name, _custom_format(name), rest


@click.group(cls=FormatGroup, no_args_is_help=True)
def command() -> None:
    """Import other tools' data as cases, and as outputs if present."""


@command.command(
    short_help="BFCL's data: a folder, a wheel or a checkout.",
    cls=MultiValueCommand,
    epilog="Example: fiducial cases bfcl bfcl_eval-2025.12.17-py3-none-any.whl --category live simple_python --out cases.jsonl",
)
@options_of(CasesBfclSettings)
def bfcl(
    *,
    path: Path,
    categories: tuple[str, ...],
    out: Path,
    results: Path | None,
    outputs_out: Path | None,
    histories_out: Path | None,
    only: tuple[str, ...],
) -> None:
    """Read cases from BFCL's data at PATH: a folder, a wheel or a checkout.

    The wheel is bfcl_eval-*.whl; the checkout is one of BFCL's repository.
    """
    from ..api.agent_environments import write_histories
    from ..api.importing import import_bfcl

    if (results is None) != (outputs_out is None):
        raise UsageError("--results and --outputs-out go together")
    _write(import_bfcl(path, categories, results=results), out, outputs_out, only)
    if histories_out is not None:
        _echo_written(write_histories(path, histories_out), "conversation", histories_out)


@command.command(
    short_help="Logged chats.",
    epilog="Example: fiducial cases openai chats.jsonl --out cases.jsonl --outputs-out outputs.jsonl",
)
@options_of(CasesOpenaiSettings)
def openai(*, path: Path, out: Path, outputs_out: Path | None, criterion: str | None, system: str) -> None:
    """Read logged chats: per line a JSON object with "messages" (and "tools", "model", "id").

    A chat that ends with an assistant message, or has a "response", gives an output as well as a case. A log has no reference, so judges
    grade it: answers with calls as any_call, all others as open_answer. See also: fiducial import openai.
    """
    from ..api.importing import import_log

    _write(import_log("openai", path, criterion=criterion, system=system), out, outputs_out)


@command.command(
    short_help="Rows of azure-ai-evaluation or promptflow.",
    epilog="Example: fiducial cases azure rows.jsonl --out cases.jsonl --outputs-out outputs.jsonl",
)
@options_of(CasesAzureSettings)
def azure(*, path: Path, out: Path, outputs_out: Path | None, criterion: str | None, system: str) -> None:
    """Read rows of azure-ai-evaluation or promptflow, one JSON object a line.

    Rows have "query", "response" and so on. Rows with calls become cases of kind any_call (judge: tool_call_accuracy; undecided by strict
    rules), rows with a context grounded_answer, all others open_answer, compared with "ground_truth" if present. See also: fiducial
    import azure.
    """
    from ..api.importing import import_log

    _write(import_log("azure", path, criterion=criterion, system=system), out, outputs_out)


@command.command(
    short_help="Challenges of agbenchmark.",
    epilog="Example: fiducial cases agbenchmark agbenchmark/challenges --out cases.jsonl",
)
@options_of(CasesAgbenchmarkSettings)
def agbenchmark(*, path: Path, out: Path, only: tuple[str, ...]) -> None:
    """Read agbenchmark challenges from the folders below PATH.

    Next: `fiducial artifacts run` runs an agent on them; `fiducial run` checks workspaces and judges the undecided ones.
    """
    from ..api.importing import challenge_notes, import_agbenchmark, unknown_dependencies

    suite = import_agbenchmark(path)
    _write(suite, out, None, only)
    for challenge_note in challenge_notes(suite.only(only).cases if only else suite.cases):
        note(challenge_note)
    for case_id, dependency in unknown_dependencies(suite.cases):
        note(f"{case_id} depends on {dependency!r}, which is not one of these challenges")


def _custom_format(name: str) -> click.Command:
    @click.command(
        name, epilog=f"Example: fiducial cases {name} PATH --out cases.jsonl --plugin my_formats.py"
    )
    @options_of(CasesCustomSettings)
    def custom(*, path: Path, out: Path, outputs_out: Path | None) -> None:
        from ..api.importing import import_custom_format

        _write(import_custom_format(name, path), out, outputs_out)

    custom.help = f"Read PATH by the registered format {name!r}."
    add_plugin_option(custom)
    return custom


def _write(
    suite: ImportedSuite, out: Path, outputs_out: Path | None = None, only: tuple[str, ...] = ()
) -> None:
    if only:
        suite = suite.only(only)
    _echo_written(suite.cases.write(out), "case", out)
    if outputs_out is not None:
        _echo_written(suite.outputs.write(outputs_out), "output", outputs_out)


def _echo_written(count: int, noun: str, path: Path) -> None:
    from ..api.terminal_text import counted

    click.echo(f"{counted(count, noun)} in {path}")
