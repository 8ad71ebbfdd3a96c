"""`fiducial demo`: the whole way on the built-in suite, offline."""

from __future__ import annotations

from pathlib import Path

import click

from .options import FOLDER

NOTE = (
    "This demo judges with the lexical baseline, a documented control that compares words and asks no model. "
    "Its agreement with the checkers is what a real judge has to beat."
)

JUDGES = (
    "tool_call_accuracy",
    "memory_answer",
    "web_search_answer",
    "groundedness",
    "task_completion",
    "rubric",
)

_EXAMPLE = """\b
Example:
  fiducial demo --out demo
"""


@click.command("demo", epilog=_EXAMPLE)
@click.option("--out", type=FOLDER, default="fiducial-demo", show_default=True, help="The run folder.")
def command(out: Path) -> int:
    """Run everything on a small built-in suite: no key, no network, a few seconds."""
    from ..data import demo_path  # noqa: PLC0415 - imports only when asked for
    from ..deterministic import CheckOptions  # noqa: PLC0415 - likewise
    from ..evaluation.judging.access import ModelAccess  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.pipeline import Plan  # noqa: PLC0415 - likewise
    from .evaluate import command_line, evaluate  # noqa: PLC0415 - likewise

    plan = Plan(
        cases=demo_path("cases.jsonl"),
        outputs=[demo_path("outputs.jsonl")],
        out=out,
        command=command_line(),
        options=CheckOptions(rules="strict"),
        judges=list(JUDGES),
        model="baseline",
        judge_on="all",
        labels=demo_path("labels.jsonl"),
        notes=[NOTE],
    )
    return evaluate(plan, ModelAccess)
