"""`fiducial run`: check, judge, calibrate and report."""

from __future__ import annotations

from typing import Any

import click

from ..settings.verbs.run import RunSettings
from .declared_options import options_of, scale_for
from .model_options import select_options
from .shared_options import (
    MultiValueCommand,
    keep_only,
    written_beside,
)

_EXAMPLE = """\b
Examples:
  fiducial run cases.jsonl --outputs outputs.jsonl --out run
  fiducial run cases.jsonl --generate my-model --judge groundedness --model gpt-4.1-mini --out run
  fiducial run cases.jsonl --outputs a.jsonl b.jsonl --judge tool_call_accuracy \\
      --model gpt-4.1-mini --judge-on 200 --out run
  fiducial run cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy/direct \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --judge-on all --out run
"""


@click.command("run", cls=MultiValueCommand, epilog=_EXAMPLE)
@options_of(RunSettings)
@scale_for("judges")
def command(**options: Any) -> int:
    """Check outputs, judge the undecided ones, calibrate, report.

    With --generate or --agent, generate the outputs first. CASES holds the tasks and how they are graded (JSON Lines; `fiducial cases`
    and `fiducial import` make it from other tools' data). Exit code 3: finished, but calls to the model, or custom checkers, failed; the
    same command retries only these.
    """
    from .evaluate import evaluate_command_line

    if options["labels_patch"] is not None:
        from ..api.labels import corrected_file

        corrected_cases = corrected_file(options["cases"], options["labels_patch"], written_beside(options))
        options["cases"] = [corrected_cases]
        if not options["dry_run"]:
            click.echo(f"corrected cases: {corrected_cases}", err=True)
    keep_only(options)
    return evaluate_command_line(select_options(RunSettings, options))
