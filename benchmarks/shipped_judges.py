"""Errors of the model-free metrics that other tools ship: writes docs/shipped-judges.md.

    make shipped-judges

Each metric judges probes of the built-in suite (answers and tool calls): right outputs, planted faults, harmless twins and attacks, whose labels a checker
or their construction proves. Metrics of tools that are not installed are left out and named.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

from commands import described

import fiducial as fd
from fiducial.data import demo_path


class _Metric(NamedTuple):
    """A metric: its tool, where it is, whether it is a class, and from which score on it passes."""

    tool: str
    module: str
    name: str
    is_class: bool = True
    pass_at: float | None = None


METRICS = (
    _Metric("deepeval", "deepeval.metrics", "ExactMatchMetric"),
    _Metric("autoevals", "autoevals", "ExactMatch"),
    _Metric("autoevals", "autoevals", "Levenshtein"),
    _Metric("openevals", "openevals.exact", "exact_match", is_class=False),
    _Metric("openevals", "openevals.string.levenshtein", "levenshtein_distance", is_class=False),
    _Metric("ragas", "ragas.metrics", "StringPresence"),
    _Metric("ragas", "ragas.metrics", "NonLLMStringSimilarity"),
)
KINDS = {"memory_answer", "web_search_answer", "tool_call"}


def main() -> int:
    """Write the page; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--out", type=Path, help="default: printed")
    arguments = parser.parse_args()
    page = "\n".join(sections())
    if arguments.out is None:
        print(page)
    else:
        arguments.out.write_text(page + "\n", "utf-8")
    return 0


def sections() -> Iterator[str]:
    """The page, part by part."""
    probes = fd.mutate(
        [case for case in fd.read_records(demo_path("cases.jsonl"), fd.Case) if case.kind in KINDS]
    )
    judges, left = made()
    releases = ", ".join(sorted({f"{each.tool} {metadata.version(each.tool)}" for each, _ in judges}))
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    yield "# What shipped judges miss\n"
    yield (
        "Metrics of other tools that need no model, [audited](audits.md) as any judge is (`fd.audit(probes, fd.judge_from(metric))`) on "
        "probes of the demo suite's answers and tool calls. Each metric gets the first accepted answer, or the expected calls as JSON.\n"
    )
    yield (
        f"Written by `make shipped-judges` on {datetime.now(tz=UTC):%d %B %Y} ({machine}; {releases}). Shares with n; the audit itself "
        "has intervals by operator." + (f" Not installed here: {', '.join(left)}." if left else "") + "\n"
    )
    found = fd.audit(probes, [judge for _, judge in judges], sample=40, progress=False)
    yield "| metric | passes from | faults caught | right outputs failed | harmless twins failed | attacks passed |"
    yield "|---|---|---|---|---|---|"
    for metric, judge in judges:
        row = next(audit for audit in found.judges if audit.judge == judge.by)
        cells = [share(row, *wanted) for wanted in (("fault",), ("nothing",), ("twin",), ("attack",))]
        yield f"| {metric.tool} {metric.name} | {judge.pass_at:g} | " + " | ".join(cells) + " |"
    yield """
## How to read it

* A metric that compares strings catches nearly every fault because it fails nearly everything: a right answer in a sentence, another accepted answer, arguments in another order.
* A similarity with a threshold passes wrong numbers and dates: one character of twenty differs.

These metrics are fine if an answer has one spelling. Metrics that ask a model are not here; [audit yours](about.md#audit-a-judge-in-three-commands). Probes are not distributed like your systems' errors, so no share above is an accuracy."""


def made() -> tuple[list[tuple[_Metric, Any]], list[str]]:
    """The metrics as judges, and the tools that are not installed."""
    judges: list[tuple[_Metric, Any]] = []
    left: dict[str, None] = {}
    for each in METRICS:
        try:
            metric = getattr(import_module(each.module), each.name)
        except ImportError:
            left[each.tool] = None
            continue
        name = f"{each.tool}-{each.name}"
        judges.append(
            (each, fd.judge_from(metric() if each.is_class else metric, name=name, pass_at=each.pass_at))
        )
    return judges, list(left)


def share(judge: Any, plants: str) -> str:
    """Share of verdicts on probes of a sort that the rates of its operators count, and n."""
    rates = [
        operator.rate
        for operator in judge.operators
        if operator.plants == plants and operator.rate.value is not None
    ]
    n = sum(rate.n for rate in rates)
    return "-" if not n else f"{sum(rate.value * rate.n for rate in rates) / n:.2f} of {n:,}"


if __name__ == "__main__":
    sys.exit(main())
