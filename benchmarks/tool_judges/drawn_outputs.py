"""Outputs of the fixed audit set that a tool's judges are asked about, without their labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from fiducial.deterministic.decoding.replies import decode_output
from fiducial.errors import FiducialError
from fiducial.evaluation.audit.cards.audit_sets import audit_set
from fiducial.judges.metric_adapters import metric_item
from fiducial.records import Case, ItemKey, Output, Verdict, read_records
from fiducial.records.folder_files import CASES, LABELS, OUTPUTS

from .tool_list import Tool

ITEMS = 150
"""Outputs that a tool is asked about, at most, over all its judges."""

PLANTS = ("fault", "nothing", "attack", "twin", "control")
"""Sorts of probes, in the order in which they are drawn by turns."""


class DrawnOutput(NamedTuple):
    """An output of the audit set, its case, and the sort of probe that it is."""

    case: Case
    output: Output
    plants: str


class DrawnItem(NamedTuple):
    """A judge of a tool and an output that it is asked about."""

    judge: str
    drawn: DrawnOutput

    def fields(self, number: int) -> dict[str, Any]:
        """Return what the tool's program reads; it holds no label, and no name that tells one."""
        case, output = self.drawn.case, self.drawn.output
        return {
            "item": number,
            "judge": self.judge,
            **metric_item(case, output)._asdict(),
            "tools": case.tools,
            "calls": _calls(output),
            "expected_calls": case.reference.get("calls"),
        }


def draw_items(tool: Tool, most: int = ITEMS) -> list[DrawnItem]:
    """Draw the outputs of each judge of a tool; together no more than ``most``."""
    drawn = _audit_outputs()
    share = most // len(tool.judges)
    return [
        DrawnItem(judge.name, output)
        for judge in tool.judges
        for output in _by_turns(
            [drawn_output for drawn_output in drawn if drawn_output.case.kind in judge.kinds], share
        )
    ]


@cache
def _audit_outputs() -> tuple[DrawnOutput, ...]:
    """Return the outputs of the audit set, each with its case and its sort."""
    folder, _ = audit_set()
    cases = {record.id: record for record in read_records(folder / CASES, Case)}
    labels = {record.key: record for record in read_records(folder / LABELS, Verdict)}
    return tuple(
        DrawnOutput(cases[output.case_id], output, str(labels[output.key].evidence["plants"]))
        for output in read_records(folder / OUTPUTS, Output)
    )


def _by_turns(drawn: Collection[DrawnOutput], most: int) -> list[DrawnOutput]:
    """Choose outputs by turns of their sorts, each sort in the order of its hashes."""
    by_sort = [sorted((output for output in drawn if output.plants == name), key=_rank) for name in PLANTS]
    return [each for turn in zip_longest(*by_sort) for each in turn if each is not None][:most]


def _rank(each: DrawnOutput) -> bytes:
    return hashlib.sha256(_written(each.output.key).encode()).digest()


def _written(key: ItemKey) -> str:
    return json.dumps([key.case_id, key.system, key.trial])


def _calls(output: Output) -> list[dict[str, Any]] | None:
    """Return the calls that an output makes, or None if it makes none that can be read."""
    try:
        made: list[dict[str, Any]] = decode_output(output)
    except FiducialError:
        return None
    return [{"name": name, "arguments": arguments} for each in made for name, arguments in each.items()]


def write_items(items: Collection[DrawnItem], path: Path) -> None:
    """Write what a tool's program reads, one item in a line."""
    lines = (json.dumps(each.fields(number), ensure_ascii=False) for number, each in enumerate(items))
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
