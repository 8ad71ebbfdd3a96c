"""`fiducial check`: grade outputs with checkers only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..settings.verbs.check import CheckSettings
from .declared_options import options_of
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .printing import emit
from .shared_options import (
    MultiValueCommand,
    keep_only,
)

_EXAMPLE = """\b
Examples:
  fiducial check cases.jsonl --outputs outputs.jsonl --out verdicts.jsonl
  fiducial check cases.jsonl --outputs a.jsonl b.jsonl --rules bfcl --out verdicts.jsonl
"""


@click.command("check", cls=MultiValueCommand, epilog=_EXAMPLE)
@options_of(CheckSettings)
def command(
    cases: tuple[Path, ...],
    outputs: tuple[Path, ...],
    out: Path,
    json_file: str | None,
    labels_patch: Path | None,
    **options: Any,
) -> int:
    """Check outputs without a model, with a reason for each failure.

    CASES holds the tasks and their references (JSON Lines). The file of verdicts appears when it is complete; after Ctrl-C, finished
    verdicts are in FILE.partial. Exit code 3: finished, but a custom checker failed.
    """
    from ..api.checking import check_file, partial_file

    if labels_patch is not None:
        from ..api.labels import corrected_file

        cases = (corrected_file(cases, labels_patch, out),)
        click.echo(f"corrected cases: {cases[0]}", err=True)
    inputs: dict[str, Any] = {"cases": cases, "outputs": outputs, "out": out, "only": options.pop("only")}
    keep_only(inputs)
    cases, outputs = inputs["cases"], inputs["outputs"]
    try:
        results = check_file(cases, outputs, out, progress=True, **options)
    except KeyboardInterrupt:
        click.echo(f"verdicts so far: {partial_file(out)}", err=True)
        raise
    emit(results, json_file, closing=[f"verdicts: {out}"])
    return EXIT_PARTIAL if results.failed else EXIT_OK
