"""`fiducial demo`: the whole way on the built-in suite, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import FOLDER, verbosity
from .typed import command_line

if TYPE_CHECKING:
    from ..records import ItemKey

NOTE = (
    "Judged by recorded replies of one Claude model (November 2026), many to a context: no independent calls, no benchmark; beside "
    "it the lexical baseline."
)

MODEL = "claude"

JUDGES = (
    "tool_call_accuracy",
    "memory_answer",
    "web_search_answer",
    "groundedness",
    "task_completion",
    "rubric",
)

COMPARED = tuple(f"tool_call_accuracy/{variant}" for variant in ("reasons", "direct", "decomposed"))
"""Prompts that are asked about the same outputs, and compared."""

_EXAMPLE = """\b
Example:
  fiducial demo --out demo
"""


@click.command("demo", epilog=_EXAMPLE)
@click.option("--out", type=FOLDER, default="fiducial-demo", show_default=True, help="The run folder.")
@verbosity
def command(*, out: Path, verbose: bool, quiet: bool) -> int:
    """Run everything on a small built-in suite: no key, no network, a few seconds."""
    from ..data import demo_path  # noqa: PLC0415 - imports only when asked for
    from ..deterministic import CheckOptions  # noqa: PLC0415 - likewise
    from ..evaluation.judging.access import ModelAccess  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.pipeline import Plan  # noqa: PLC0415 - likewise
    from .evaluate import evaluate  # noqa: PLC0415 - likewise

    answered, changed = _answered()
    plan = Plan(
        cases=demo_path("cases.jsonl"),
        outputs=[demo_path("outputs.jsonl")],
        out=out,
        command=command_line(),
        options=CheckOptions(),
        judges=[
            *COMPARED,
            *(f"{judge}/reasons" for judge in JUDGES[1:]),
            *(f"{judge}@baseline" for judge in JUDGES),
        ],
        model=MODEL,
        judge_on=answered,
        labels=demo_path("labels.jsonl"),
        notes=[NOTE, f"{changed} outputs were changed after the replies were recorded, and are not judged."],
    )
    replies = ModelAccess(replay=demo_path("replies/suite.jsonl"))
    code = evaluate(plan, lambda: replies, telling=(verbose, quiet))
    if verbose:
        _compare(out)
    return code


def _answered() -> tuple[frozenset[ItemKey], int]:
    """The outputs about which there are replies, and how many others there are."""
    import msgspec  # noqa: PLC0415 - imports only when asked for

    from ..data import demo_path  # noqa: PLC0415 - likewise
    from ..records import ItemKey, Output, read_records  # noqa: PLC0415 - likewise

    changed = msgspec.json.decode(demo_path("replies/unanswered.json").read_bytes(), type=set[ItemKey])
    outputs = frozenset(output.key for output in read_records(demo_path("outputs.jsonl"), Output))
    return outputs - changed, len(changed)


def _compare(out: Path) -> None:
    """Print how the prompts that were asked about the same outputs differ."""
    import numpy as np  # noqa: PLC0415 - loaded already, and slow to import

    from ..calibration import compare  # noqa: PLC0415 - likewise
    from ..evaluation.run_table import read_tables  # noqa: PLC0415 - likewise
    from ..report.comparison_words import comparison_document  # noqa: PLC0415 - likewise
    from ..report.document import as_lines  # noqa: PLC0415 - likewise

    table = read_tables([out])
    asked = [name for name, judge in table.judges.items() if judge.name == JUDGES[0] and judge.model == MODEL]
    rows = np.isin(table.judge.codes, [table.judge.values.index(name) for name in asked])
    click.echo(f"\n{len(asked)} prompts on the same outputs (`fiducial compare {out}` for all judges)")
    for line in as_lines(comparison_document(compare(table.take(rows)))):
        click.echo(f"  {line}")
