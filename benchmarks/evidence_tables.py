"""Tables of the page of evidence, and the judges that answer from recordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fiducial as fd

MODEL = "claude"

THREE = ("direct", "reasons", "decomposed")
"""Variants that every judge of the suite has; rows without a variant are these, alike."""


def made(name: str, recording: Path) -> Any:
    """Return a judge that answers from a recording."""
    return fd.judge(name, model=MODEL, replay=recording)


def p_value(p: float | None) -> str:
    """Format a p-value, or say that it is undefined."""
    return "undefined" if p is None else f"{p:.3f}"


def calibration_table(*runs: fd.Run) -> Iterator[str]:
    """Yield a table of the judges of some runs against the labels."""
    uses = {use.name: use for run in runs for use in run.judges}
    rows: list[Sequence[object]] = []
    for name, found in (item for run in runs for item in run.calibration.judges.items()):
        failed = sum(count for outcome, count in uses[name].outcomes.items() if outcome != "graded")
        n = f"{found.n} ({failed} without reply)" if failed else found.n
        rates = (found.accuracy, found.true_positive_rate, found.true_negative_rate)
        rows.append((name, n, *(without_n(rate, found.n) for rate in rates)))
    yield from table(("judge", "n", "accuracy", "TPR", "TNR"), one_row_each(rows))


def without_n(rate: object, n: int) -> str:
    """Return a rate whose n has a column of its own."""
    return str(rate).removesuffix(f" (n {n})")


def one_row_each(rows: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
    """Merge rows of equal numbers, naming their variants unless they are the usual three."""
    variants: dict[tuple[str, ...], list[str]] = {}
    for name, *numbers in rows:
        judge, _, variant = str(name).removesuffix(f"@{MODEL}").partition("/")
        variants.setdefault((judge, *map(str, numbers)), []).append(variant)
    for (judge, *numbers), named in variants.items():
        yield (judge if tuple(named) == THREE else f"{judge}: {', '.join(named)}", *numbers)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
