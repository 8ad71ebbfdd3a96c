"""`fiducial check`: deterministic verdicts only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from .options import INPUT_FILE, SpreadCommand, cases_and_outputs, checking, json_option

_EXAMPLE = """\b
Examples:
  fiducial check cases.jsonl --outputs outputs.jsonl --out verdicts.jsonl
  fiducial check cases.jsonl --outputs a.jsonl b.jsonl --rules bfcl --out verdicts.jsonl
"""


@click.command("check", cls=SpreadCommand, epilog=_EXAMPLE)
@cases_and_outputs
@click.option("--out", type=INPUT_FILE, required=True, help="Where the verdicts go (JSON Lines).")
@json_option
@checking
def command(cases: Path, outputs: tuple[Path, ...], out: Path, json_file: str | None, **options: Any) -> int:
    """Decide without a model which outputs are right, and why the others are not.

    CASES says what was to be done and how it is graded (JSON Lines). The file of verdicts appears when it is complete;
    after Ctrl-C those so far are beside it, in FILE.partial. Exit code 3: finished, but a checker of your own failed.
    """
    from ..api.progress import shown_progress  # noqa: PLC0415 - likewise
    from ..evaluation.check_file import check_file, partial_file  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..report import words  # noqa: PLC0415 - likewise
    from ..report.terminal import system_lines  # noqa: PLC0415 - likewise
    from .check_options import check_options  # noqa: PLC0415 - likewise
    from .main import EXIT_OK, EXIT_PARTIAL  # noqa: PLC0415 - which imports this
    from .table_input import emit  # noqa: PLC0415 - likewise

    try:
        with shown_progress(wanted=True) as progress:
            systems = check_file(
                cases, outputs, out, names=options["names"], options=check_options(options), progress=progress
            )
    except KeyboardInterrupt:
        click.echo(f"the verdicts so far: {partial_file(out)}", err=True)
        raise
    lines = [line for system in systems for line in system_lines(system)]
    failed = sum(system.failed_checks for system in systems)
    if failed:
        lines.append(words.not_checked(failed))
    emit({"systems": msgspec.to_builtins(systems)}, [*lines, f"verdicts: {out}"], json_file)
    return EXIT_PARTIAL if failed else EXIT_OK
