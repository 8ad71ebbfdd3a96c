"""`fiducial judge`: judge without checkers, into a run folder."""

from __future__ import annotations

from typing import Any

import click

from ..settings.verbs.judge import JudgeSettings
from .declared_options import options_of, scale_for
from .model_options import select_options
from .shared_options import (
    MultiValueCommand,
    keep_only,
)

_EXAMPLE = """\b
Examples:
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge tool_call_accuracy --model gpt-4.1-mini --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge my_judge.prompty \\
      --model my-model --base-url http://127.0.0.1:8000/v1 --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge groundedness@small groundedness@large \\
      --jury escalate --out judged
  fiducial judge cases.jsonl --outputs outputs.jsonl --judge groundedness --model m --split-statements --out judged
  fiducial judge --reparse judged
"""


@click.command("judge", cls=MultiValueCommand, epilog=_EXAMPLE)
@options_of(JudgeSettings)
@scale_for("judges")
def command(**options: Any) -> int:
    """Run judges on every output, without checkers.

    Exit code 3: finished, but calls to the model failed; the same command retries only these.
    """
    from .evaluate import evaluate_command_line

    keep_only(options)
    return evaluate_command_line(select_options(JudgeSettings, options))
