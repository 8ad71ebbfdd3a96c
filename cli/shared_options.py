"""Options that several commands share, so that they behave the same everywhere."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ..api.pass_thresholds import PassAt
from ..errors import UsageError
from ..records.column_names import FIELDS, require_chosen_columns
from .param_types import FOLDER, INPUT, INPUT_FILE, Number, PassThresholdType, Whole

if TYPE_CHECKING:
    from ..api.checking import Workspaces

F = TypeVar("F", bound=Callable[..., Any])


def option(*names: str, **settings: Any) -> Callable[[F], F]:
    """Return a click option; `--help` shows its default if it has one."""
    settings.setdefault("show_default", "default" in settings)
    return click.option(*names, **settings)


def compose(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine several decorators into one, the first on top."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


class SectionedCommand(click.Command):
    """Command whose `--help` shows options with a ``section`` below the common ones."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, those of each section together."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(param, _SECTION, "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


_SECTION = "section"
"""Attribute of an option: its heading in `--help`."""


def section(heading: str, *decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine several options into one decorator, under their own heading in `--help`."""

    def apply(function: F) -> F:
        before = len(getattr(function, "__click_params__", ()))
        decorated = compose(*decorators)(function)
        params: list[click.Parameter] = getattr(decorated, "__click_params__", [])
        for param in params[before:]:
            setattr(param, _SECTION, getattr(param, _SECTION, heading))
        return decorated

    return apply


class MultiValueCommand(SectionedCommand):
    """Command whose repeatable options also take several values: ``--outputs a.jsonl b.jsonl``."""

    flags_without_argument: frozenset[str] = frozenset()
    """Flags that make the positional argument optional."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option's name before each further value, then parse as usual."""
        return super().parse_args(
            ctx,
            _repeat_names(
                args, self.params, positional_seen=not self.flags_without_argument.isdisjoint(args)
            ),
        )


def _repeat_names(args: list[str], params: list[click.Parameter], *, positional_seen: bool) -> list[str]:
    """Return the words of a command line with the option's name before each of its values."""
    options = [param for param in params if isinstance(param, click.Option)]
    repeatable = {name for option in options if option.multiple for name in option.opts}
    valued = {name for option in options if not option.is_flag for name in option.opts}
    repeated: list[str] = []
    current: str | None = None
    for index, arg in enumerate(args):
        if arg == "--":
            return [*repeated, *args[index:]]
        if arg.startswith("-") and arg != "-":
            name = arg.partition("=")[0]  # --outputs=a.jsonl b.jsonl
            current = name if name in valued else None
        elif current is None:
            positional_seen = True
        elif repeated[-1] != current:
            # A second value. Only after the positional arguments is it certain that it belongs to the option.
            if current in repeatable and positional_seen:
                repeated.append(current)
            else:
                current = None
                positional_seen = True
        repeated.append(arg)
    return repeated


def numbers_by_name(option: str, form: str, values: Iterable[str]) -> dict[str, float]:
    """Parse the values of a repeatable option ``NAME=NUMBER``."""
    numbers: dict[str, float] = {}
    for text in values:
        name, _, value = text.partition("=")
        if not name:
            raise UsageError(f"{option} expects {form}, got {text!r}")
        if name in numbers:
            raise UsageError(f"{option} {text}: {name} has a value already; name each once")
        try:
            numbers[name] = float(value)
        except ValueError as error:
            raise UsageError(f"{option} expects {form}, got {text!r}") from error
        if not math.isfinite(numbers[name]):  # nan passes every comparison
            raise UsageError(f"{option} expects {form}, got {text!r}: {value} is not a finite number")
    return numbers


_ALIASES = {
    alias: field for field in ("response", "label", "score", "id") for alias in (field, *FIELDS[field])
}
"""Names of the fields that may have several columns."""


def pairs(option: str, values: Iterable[str]) -> dict[str, str]:
    """Parse the values of a repeatable option ``NAME=NAME``.

    A further column of answers, labels, scores or ids is kept the other way round (``COLUMN=response``).
    """
    parsed: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for text in values:
        left, equals, right = text.partition("=")
        require_chosen_columns({left: right})
        if not (equals and left and right):
            raise UsageError(f"{option} expects FIELD=COLUMN (such as label=gold), got {text!r}")
        field = _ALIASES.get(left)
        has_one_meaning = field != "id" and right not in _ALIASES  # a question may be the id, too
        if field is not None and has_one_meaning and meanings.setdefault(right, field) != field:
            raise UsageError(f"{option} {text}: {right} is {meanings[right]!r} already; name another column")
        if parsed.setdefault(left, right) == right:
            continue
        if field is None:
            raise UsageError(f"{option} {text}: {left} is {parsed[left]!r} already; name one column")
        if parsed.setdefault(right, left) != left:
            raise UsageError(f"{option} {text}: {right} is {parsed[right]!r} already; name another column")
    return parsed


_IMPORTED = frozenset({".csv", ".tsv", ".parquet", ".xlsx", ".eval"})


def _refuse_tables(ctx: click.Context, param: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Refuse files that must be imported first, which newcomers give as cases or outputs."""
    for path in paths:
        if path.suffix.lower() in _IMPORTED and path.is_file():
            raise click.BadParameter(
                f"{path} is not JSON Lines: `{shlex.join(['fiducial', 'import', str(path), '--out', 'imported'])}` "
                "makes cases and outputs of it",
                ctx,
                param,
            )
    return paths


def outputs_option(*, required: bool) -> Callable[[F], F]:
    """Return the option for output files; a command that makes outputs does not require it."""
    return option(
        "--outputs",
        type=INPUT,
        multiple=True,
        required=required,
        metavar="FILE...",
        callback=_refuse_tables,
        help="Outputs of the systems (JSON Lines): files, folders of shards, or addresses (s3://...); may be given several times.",
    )


cases_argument = click.argument(
    "cases", metavar="CASES...", type=INPUT, nargs=-1, required=True, callback=_refuse_tables
)

only_option = option(
    "--only",
    multiple=True,
    metavar="ID|TAG=VALUE",
    help="Only cases of this id or tag; may be given several times.",
)


def keep_only(options: dict[str, Any]) -> None:
    """Replace cases, outputs and labels by the selected ones, if there is a selection."""
    only = options.pop("only")
    if not only:
        return
    from ..api.selecting import selected_files, selected_labels  # only a selection reads the inputs twice

    beside = written_beside(options)
    cases, outputs = selected_files(options["cases"], options["outputs"], only, beside)
    options["cases"] = (cases,)
    options["outputs"] = tuple(outputs)
    if options.get("labels") is not None:
        options["labels"] = selected_labels(options["labels"], cases, beside)


cases_and_outputs = compose(cases_argument, outputs_option(required=True))


def _pass_at(_: click.Context, __: click.Parameter, thresholds: tuple[tuple[str, float], ...]) -> PassAt:
    everywhere = [score for judge, score in thresholds if not judge]
    return PassAt(
        everywhere[-1] if everywhere else None, {judge: score for judge, score in thresholds if judge}
    )


pass_at_option = option(
    "--pass-at",
    metavar="[JUDGE=]SCORE",
    multiple=True,
    type=PassThresholdType(),
    callback=_pass_at,
    help="Lowest score that passes, in (0, 1]: for every judge, or for one (groundedness=1); may be given several times.  "
    "[default: each judge's own, else 0.5]",
)

dry_run_option = option(
    "--dry-run",
    is_flag=True,
    is_eager=True,  # --out is not required beside it
    help="Print the expected calls, tokens and cost; make no call and write nothing.",
)


def _out_or_scratch(ctx: click.Context, param: click.Parameter, out: Path | None) -> Path | None:
    """Return ``--out``; for a dry run without it, a path in a temporary folder."""
    if out is not None or ctx.resilient_parsing:
        return out
    if not ctx.params.get("dry_run"):
        raise click.MissingParameter(ctx=ctx, param=param)
    return _scratch(ctx)


def _scratch(ctx: click.Context) -> Path:
    """Return a path that does not exist, in a folder that is removed when the command ends."""
    from tempfile import TemporaryDirectory

    return Path(ctx.with_resource(TemporaryDirectory())) / "dry-run"


def out_option(kind: click.Path, help_text: str) -> Callable[[F], F]:
    """Return ``--out`` of a command that has ``--dry-run``."""
    return option(
        "--out", type=kind, callback=_out_or_scratch, help=f"{help_text}  [required without --dry-run]"
    )


def written_beside(options: Mapping[str, Any]) -> Path:
    """Return the path beside which selected inputs are written: ``--out``, but not in a dry run."""
    return _scratch(click.get_current_context()) if options.get("dry_run") else options["out"]


def one_labels_file(files: tuple[Path, ...]) -> Path | None:
    """Return the only file of ``--labels``; None without one.

    Raises:
        UsageError: There are several.
    """
    if len(files) > 1:
        raise UsageError("--labels was given twice; join the files")
    return files[0] if files else None


def _only_file(_ctx: click.Context, _: click.Parameter, files: tuple[Path, ...]) -> Path | None:
    return one_labels_file(files)


def one_labels_option(help_text: str) -> Callable[[F], F]:
    """Return ``--labels`` of a command that reads one file of labels."""
    return option(
        "--labels",
        type=INPUT_FILE,
        multiple=True,
        callback=_only_file,
        help=help_text,
    )


run_folder_options = compose(
    one_labels_option("Trusted verdicts of people or by construction (JSON Lines)."),
    pass_at_option,
    out_option(FOLDER, "The run folder; the same command resumes it."),
    option("--accept-edited", is_flag=True, help="Accept a run folder whose verdicts were edited by hand."),
)  # fmt: skip


def scale_option(*judges: str) -> Callable[[F], F]:
    """Return ``--scale``, which declares the scale of the prompt files in these parameters."""

    def add(command: F) -> F:
        @wraps(command)
        def with_scales(*args: Any, scale: str | None, **values: Any) -> Any:
            if scale is not None:
                from ..api.declared_scales import with_scale

                for name in judges:
                    value = values[name]
                    if isinstance(value, str | Path):
                        values[name] = with_scale(str(value), scale)
                    else:
                        values[name] = tuple(type(each)(with_scale(str(each), scale)) for each in value)
            return command(*args, **values)

        add_option = option(
            "--scale",
            metavar="WORST-BEST",
            help="Scale of a .prompty file that declares none: 1-5, or 5-1 if 1 is the best.",
        )
        return add_option(cast("F", with_scales))

    return add


JUDGE_HELP = "NAME, NAME/VARIANT, or a .prompty file"
"""Help of ``--judge``, without its end."""

price_option = option(
    "--price",
    multiple=True,
    metavar="[MODEL=]IN/OUT[/CACHED]",
    help="Dollars per million tokens.  [default: listed prices]",
)

workspace_options = section(
    "Workspaces of files",
    option("--allow-code", is_flag=True, help="Run code of workspaces in a sandbox; otherwise challenges that need it are ungraded."),
    option("--files", type=click.Choice(["any", "all"]), default="any",
           help="any: one right file of a workspace passes; all: every file the challenge names must be right."),
    option("--case-insensitive", is_flag=True, help="Ignore case when searching workspaces for words."),
    option("--whole-word", is_flag=True, help="Match whole words in workspaces."),
    option("--code-timeout", type=Number(0, 3600, min_open=True), default=60.0, metavar="SECONDS", help="Time limit of a workspace's script."),
)  # fmt: skip


def workspaces_of(options: Mapping[str, Any]) -> Workspaces:
    """Return the values of `workspace_options`."""
    names = ("allow_code", "files", "case_insensitive", "whole_word", "code_timeout")
    return cast("Workspaces", {name: options[name] for name in names})


environment_option = option(
    "--environment", "worlds", multiple=True, metavar="MODULE|FILE.py:CLASS", help="A custom environment."
)

name_options = section(
    "Names, functions and environments",
    option("--names", type=click.Choice(["dotted", "underscored", "auto"]), default="auto",
           help="Form in which systems saw function names with dots."),
    option("--functions", multiple=True, metavar="MODULE|FILE.py:NAME", help="Functions that calls may execute."),
    environment_option,
    workspace_options,
)  # fmt: skip


def rules_option(default: str) -> Callable[[F], F]:
    """Return the option for the rule set.

    By default a user's cases are checked by strict rules, BFCL's trees by BFCL's.
    """
    return option(
        "--rules",
        type=click.Choice(["bfcl", "strict"]),
        default=default,
        help="strict: without BFCL's known faults; bfcl: exactly the original's verdicts.",
    )


checking_options = compose(
    rules_option("strict"),
    option("--labels-patch", type=INPUT_FILE,
           help="Corrected references of cases (`fiducial labels export`); the corrected cases are written beside --out."),
    name_options,
)  # fmt: skip

workers_option = option(
    "--workers",
    type=Whole(min=1),
    metavar="N",
    help="Processes that check; results do not depend on it.  [default: the cores, if that is faster]",
)

engine_options = section(
    "Several processes and machines",
    workers_option,
    option("--engine", type=click.Choice(["ray"]),
           help="Check and judge on a Ray cluster. Needs the extra `ray`, and about ten seconds and 0.8 GB to start."),
    option("--address", metavar="HOST:PORT", help="Address of the Ray cluster, or auto.  [default: a new Ray on this machine]"),
)  # fmt: skip

_TABLES = _IMPORTED | {".jsonl", ".arrow", ".gz", ".xlsm", ".xls", ".ods", ".numbers"}


def _not_an_input(_ctx: click.Context, _param: click.Parameter, file: str | None) -> str | None:
    """Refuse ``--json TABLE``, which would overwrite an input.

    The user wants JSON of the table, not a file of that name.
    """
    if file is None:
        return None
    path = Path(file)
    if path.is_dir() or (path.suffix.lower() in _TABLES and path.exists()):
        raise click.BadParameter(
            f"{file} exists and looks like an input; name another file to write, or use `--json -`"
        )
    return file


json_option = option(
    "--json",
    "json_file",
    metavar="[FILE]",
    is_flag=False,
    flag_value="-",
    callback=_not_an_input,
    help="Also write the result as JSON to FILE; without FILE, or with -, print JSON instead.",
)

verbosity_options = compose(
    option("-v", "--verbose", is_flag=True, help="Print everything instead of one screen."),
    option("-q", "--quiet", is_flag=True, help="Print only failed gates."),
)

gate_options = compose(
    verbosity_options,
    option("--fail-under", multiple=True, metavar="STAT=VALUE",
           help="Exit 1 when the value of a statistic, not the lower end of its interval, is below VALUE (or undefined): pass_rate=0.8 "
                "(of checked outputs), overall=0.8 (of all outputs), or one of each judge, cohen_kappa=0.6."),
    option("--min-graded", type=Number(0, 1), metavar="SHARE", help="Exit 1 when less than this share is graded."),
)  # fmt: skip
