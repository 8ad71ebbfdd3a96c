"""Command `fiducial`: find the subcommand, print errors, set the exit code."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from ..errors import AgentSetupError, ColumnsError, EditedRunError, FiducialError, UsageError
from ..spelling import spelled_as_options
from ..version import VERSION
from .exit_codes import EXIT_INTERRUPTED, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE, INTERRUPTED
from .inert_streams import inert_streams
from .notes import say
from .option_sources import words_before_dashes
from .spelled_options import option_of
from .team_file import NAME, TRUST_OPTION, TeamFile, default_values, read_team_file

SECTIONS: dict[str, dict[str, str]] = {
    "First": {
        "demo": "Run the whole pipeline on the built-in suite, offline.",
        "import": "Import other tools' files: answers, calls, scores.",
        "run": "Check outputs, judge the undecided ones, calibrate, report.",
        "calibrate": "Compare judges with trusted labels.",
        "audit": "Test judges with planted faults, harmless twins and attacks.",
        "compare": "Compare judges, prompts or systems on the same items.",
        "review": "Label outputs on a page; import the labels into a run.",
        "gate": "Pass, fail or cannot tell: a run's rates, or its drop below another.",
    },
    "Score": {
        "check": "Run deterministic checkers only.",
        "judge": "Run a judge only.",
        "generate": "Generate outputs with a model or an agent.",
        "batch": "Export judge requests as batch files; import the results.",
        "merge": "Merge runs over parts of one data set.",
    },
    "Trust": {
        "estimate": "Estimate the true pass rate from judge scores and some labels.",
        "trials": "Estimate pass^k and pass@k over repeated trials.",
        "rubrics": "Score a run by rubrics of many criteria, by system and tag.",
        "improve": "Find a better judge prompt, proven on held-out labels and an audit.",
        "labels": "Add labels to an import or a run; export corrected references.",
        "plan": "Compute how many labels or items are needed; draw items to label.",
    },
    "Results": {
        "report": "Write a run's report, or compare two runs.",
        "history": "Show the runs of a folder over time.",
        "export": "Export verdicts to other tools' formats.",
    },
    "Data": {
        "cases": "Import benchmarks as cases and outputs.",
        "bfcl": "Generate or score a BFCL result tree.",
        "artifacts": "Prepare workspaces of challenges; run agents in them.",
    },
    "Setup": {
        "prompts": "List, show, render, check and import judge prompts.",
        "plugins": "List plugins, and why one cannot be loaded.",
        "cache": "Show or clear the reply cache.",
        "mcp": "Serve five tools for one folder to a coding assistant (MCP).",
    },
}
"""Subcommands by purpose, in the order of use."""

COMMANDS: dict[str, str] = {
    name: summary for section in SECTIONS.values() for name, summary in section.items()
}
"""One-line help by subcommand. For a fast start a module is imported only when its command is used."""

_MAX_MESSAGE_LENGTH = 4_000
"""Maximum characters of an error, since ids and fields of a file may have millions."""

_GARBAGE_THRESHOLD = 50_000
"""New objects between garbage collections. Python's default of 700 interrupts a command's imports 300 times."""


class LazyGroup(click.Group):
    """Group whose subcommands are the modules of the same names in this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of use."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = "import_" if cmd_name == "import" else cmd_name
        command = getattr(import_module(f".{module}", __package__), "command")  # noqa: B009 - set by each module
        assert isinstance(command, click.Command)
        from .declared_options import add_plugin_option  # the list of commands has no options

        add_plugin_option(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and the team file's values of its options."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from ..records.explanations import nearest  # only needed for a typo

            raise click.UsageError(f"No such command {args[0]!r}{nearest(args[0], COMMANDS) or '.'}", ctx)
        name, command, arguments = super().resolve_command(ctx, args)
        unknown = [table for table in ctx.default_map or () if table not in COMMANDS]
        if unknown:
            raise UsageError(f"{NAME}: [{unknown[0]}]: `fiducial` has no such command")
        team_file = ctx.obj if isinstance(ctx.obj, TeamFile) else TeamFile()
        table = None if name is None else team_file.settings_for(name, arguments)
        if command is not None and name is not None and table is not None:
            ctx.default_map = {**(ctx.default_map or {}), name: default_values(command, table, name)}
            if not {"-h", "--help"} & {*words_before_dashes(arguments)}:
                from .config_trust import require_trust  # most folders have no such file
                from .declared_options import harmless_options

                table_settings = _settings_of_typed_commands(command, table, arguments)
                require_trust(team_file, f"[{name}]", table_settings, harmless_options(command))
        return name, command, arguments

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any of them."""
        del ctx
        width = max(map(len, COMMANDS))
        for name, section in SECTIONS.items():
            with formatter.section(name):
                formatter.write_dl([(f"{command:{width}}", summary) for command, summary in section.items()])


def _settings_of_typed_commands(
    command: click.Command, table: dict[str, Any], arguments: list[str]
) -> dict[str, Any]:
    """Return the settings of a table that apply to a command.

    For a group these are the settings of its commands whose names were typed, at any position.
    """
    if not isinstance(command, click.Group):
        return table
    tables: list[dict[str, Any]] = [table[word] for word in arguments if word in table]
    return {key: value for command_table in tables for key, value in command_table.items()}


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with `fiducial demo`: the whole pipeline on the built-in suite, offline, in seconds.",
)
@click.version_option(VERSION, prog_name="fiducial")
@click.option(
    TRUST_OPTION,
    is_flag=True,
    expose_value=False,
    help=f"Trust the code, endpoints, secrets and files that {NAME} names now; may stand anywhere.",
)
def cli() -> None:
    """Score what AI agents produce.

    Deterministic checkers first; LLM judges for undecided outputs; judges calibrated against labels.
    Inputs and run folders may be in an object store: s3://bucket/run, gs://..., abfs://... (docs/objects.md).
    """


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    try:
        gc.set_threshold(_GARBAGE_THRESHOLD)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not set for background jobs
            # A machine that is taken away sends SIGTERM first: clean up, as after Ctrl-C.
            signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
        with inert_streams(), spelled_as_options(option_of):
            _run()
    except KeyboardInterrupt:  # before or after the command itself
        _exit(EXIT_INTERRUPTED)


def _run() -> NoReturn:
    options = words_before_dashes(sys.argv[1:])
    args = [*(option for option in options if option != TRUST_OPTION), *sys.argv[1 + len(options) :]]
    try:
        team_file = read_team_file(Path.cwd())
        status = cli.main(
            args, prog_name="fiducial", standalone_mode=False, default_map=team_file.defaults, obj=team_file
        )
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        _exit(EXIT_USAGE)
    except click.ClickException as error:
        error = _with_current_options(error)
        say(f"fiducial: {_one_line(error.format_message())}{_next_step(error)}")
        _exit(EXIT_USAGE)
    except FiducialError as error:
        is_edited = isinstance(error, EditedRunError)
        message = error.accepted_here if is_edited and _has_option(args, "--accept-edited") else str(error)
        if isinstance(error, ColumnsError) and error.options and message.endswith(error.options):
            from .printing import command_line  # most commands end without a message

            message = f"{message.removesuffix(error.options)}`{command_line()} {error.options}`"
        say(f"fiducial: {_one_line(message)}")
        _exit(EXIT_PARTIAL if isinstance(error, AgentSetupError) else EXIT_USAGE)
    except (KeyboardInterrupt, click.Abort):
        say(f"fiducial: {INTERRUPTED}")
        _exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # `fiducial ... | head`: point stdout elsewhere, so that the interpreter's last flush stays silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _exit(EXIT_OK)
    except OSError as error:
        file = "" if error.filename is None else f"{error.filename}: "
        say(f"fiducial: {file}{error.strerror or error}")
        _exit(EXIT_USAGE)
    _exit(status if isinstance(status, int) else EXIT_OK)


def _has_option(args: list[str], option: str) -> bool:
    command: click.Command = cli
    for word in args:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word) or command
    return any(option in param.opts for param in command.params)


def _one_line(text: str) -> str:
    from ..api.terminal_text import shortened  # most commands end without a message

    return shortened(" ".join(text.split()), _MAX_MESSAGE_LENGTH)


def _with_current_options(error: click.ClickException) -> click.ClickException:
    """Return an error about an unknown option that proposes options by their current names only."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    from .declared_options import options_meant  # most commands end without a message

    current_options = options_meant(error.ctx.command, error.option_name, error.possibilities or ())
    # click drops proposals that are spelled differently. The unknown option itself passes, and is then replaced by the real proposals.
    replaced_error = click.NoSuchOption(
        error.option_name, possibilities=[error.option_name] if current_options else None, ctx=error.ctx
    )
    if replaced_error.possibilities:
        replaced_error.possibilities[:] = current_options
    return replaced_error


def _commands_with(error: click.ClickException) -> str:
    """Return a sentence on the commands that have an option which the typed command lacks."""
    if not isinstance(error, click.NoSuchOption):
        return ""
    names = [name for name in cli.list_commands(click.Context(cli)) if _has_option([name], error.option_name)]
    if not names:
        return ""
    commands = [f"`fiducial {name}`" for name in names[:_MAX_COMMANDS]]
    if len(names) > _MAX_COMMANDS:
        commands.append("others")
    all_but_last = ", ".join(commands[:-1])
    command_list = " and ".join(filter(None, (all_but_last, commands[-1])))
    return f" {command_list} {'has' if len(commands) == 1 else 'have'} {error.option_name}."


_MAX_COMMANDS = 3
"""Maximum number of commands that an error names as having an option."""


_EXAMPLE = re.compile(r"fiducial (?:\\\n *|[^\n])*?(?= {3,}|\n|$)")
"""First example in a command's help, up to its remark, which three or more blanks set apart."""


def _next_step(error: click.ClickException) -> str:
    """Return what to type instead: other commands, an example, and the command's help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return ""
    example = _example(context.command) if isinstance(error, click.MissingParameter) else ""
    return f"{_commands_with(error)}{example} (see `{context.command_path} --help`)"


def _example(command: click.Command) -> str:
    example = _EXAMPLE.search(command.epilog or command.help or "")
    if example is None:
        return ""
    command_text = example[0].replace("\\\n", "")
    return f" For example: `{' '.join(command_text.split())}`"


def _exit(status: int) -> NoReturn:
    # Skip the interpreter's last garbage collection, which takes a tenth of a second.
    gc.freeze()
    raise SystemExit(status)
