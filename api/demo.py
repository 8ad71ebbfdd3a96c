"""Built-in suite, judged by recorded replies: the work of `fiducial demo`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..calibration.comparison.compare import compare
from ..data import demo_path
from ..deterministic.options import CheckOptions
from ..evaluation.judging.access import ModelAccess
from ..evaluation.run_plan import Plan
from ..evaluation.run_table import read_tables
from ..records import ItemKey, Output, read_records
from ..records.typed_values import decode_json
from .run_files import Access
from .table_results import Comparison

NOTE = (
    "Judged by recorded replies of one Claude model (November 2026): not a benchmark. {} outputs were changed after the replies were "
    "recorded, and are not judged. Many requests shared a context, so calls are not independent. The word overlap baseline is beside it."
)

MODEL = "claude"
"""Name of the model in the recorded replies."""

JUDGES = (
    "tool_call_accuracy",
    "memory_answer",
    "web_search_answer",
    "groundedness",
    "task_completion",
    "rubric",
)
"""Judges of the demo; the first one is asked with three prompts."""

COMPARED = tuple(f"tool_call_accuracy/{variant}" for variant in ("reasons", "direct", "decomposed"))
"""Prompts that judge the same outputs, and are compared."""


def demo_plan(out: Path, command: str) -> Plan:
    """Return the plan that checks and judges the suite."""
    changed_outputs = decode_json(demo_path("replies/unanswered.json").read_bytes(), set[ItemKey])
    outputs = frozenset(output.key for output in read_records(demo_path("outputs.jsonl"), Output))
    return Plan(
        cases=demo_path("cases.jsonl"),
        outputs=[demo_path("outputs.jsonl")],
        out=out,
        command=command,
        options=CheckOptions(),
        judges=[
            *COMPARED,
            *(f"{judge}/reasons" for judge in JUDGES[1:]),
            *(f"{judge}@baseline" for judge in JUDGES),
        ],
        model=MODEL,
        judge_on=outputs - changed_outputs,
        labels=demo_path("labels.jsonl"),
        notes=[NOTE.format(len(changed_outputs))],
    )


def demo_access() -> Access:
    """Return access to the recorded replies instead of a model."""
    replies = ModelAccess(replay=demo_path("replies/suite.jsonl"))
    return lambda: replies


def prompts_compared(out: Path) -> Comparison:
    """Compare the prompts that judged the same outputs."""
    table = read_tables([out])
    judges = [
        name for name, judge in table.judges.items() if judge.name == JUDGES[0] and judge.model == MODEL
    ]
    is_compared = np.isin(table.judge.codes, [table.judge.values.index(name) for name in judges])
    return compare(table.take(is_compared))
