"""Shared inputs of engine tests: bookings, their verdicts, and the demo suite as lines.

Of the sixty bookings every fourth is wrong; a line joins a case and its outputs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from provider_server import Answer, Response, Script, Seen, in_the_form_asked_for

import fiducial as fd
from fiducial.data import demo_path
from fiducial.records import Case, Output, Verdict, read_lines, read_records, write_records

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"

JUDGE = "tool_call_accuracy"
COUNT = 60
EACH_ONCE = {f"{number:03}": 1 for number in range(COUNT)}


def write_bookings(folder: Path) -> tuple[Path, Path]:
    """Cases and outputs; ids that a reader of tables would take for numbers and dates."""
    tool = {
        "name": "book",
        "description": "",
        "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}},
    }
    cases = [
        Case(
            id=f"{number:03}",
            kind="tool_call",
            messages=[{"role": "user", "content": f"Book City{number}"}],
            tools=[{"type": "function", "function": tool}],
            reference={"calls": [{"book": {"city": [f"City{number}"]}}]},
            cluster=f"2026-11-{number % 7 + 1:02}",
        )
        for number in range(COUNT)
    ]
    outputs = [
        Output(
            case_id=case.id,
            system="1.0",
            text=f'[book(city="{"Atlantis" if not number % 4 else f"City{number}"}")]',
        )
        for number, case in enumerate(cases)
    ]
    paths = folder / "cases.jsonl", folder / "outputs.jsonl"
    write_records(paths[0], cases)
    write_records(paths[1], outputs)
    return paths


def graded(run: Path) -> Counter[str]:
    """Return the number of a judge's graded verdicts by case."""
    rows = read_records(run / "verdicts.jsonl", Verdict)
    return Counter(row.case_id for row in rows if row.source == "judge" and row.graded)


def after(seconds: float) -> Script:
    """A script that answers in the form asked for, so many seconds later."""
    script = in_the_form_asked_for()

    def late(seen: Seen) -> Response:
        answer = script(seen)
        assert isinstance(answer, Answer)
        return Answer(answer.text, delay=seconds)

    return late


def run_page(
    without: str, parts: int, place: Path, /, **known: Any
) -> tuple[dict[str, Any], list[fd.Verdict]]:
    """Run the blocks of docs/scale.md for this engine over the demo suite in several files.

    Returns:
        The names that the page gives, and what checking says here.
    """
    rows = joined_rows()
    for part in range(parts):
        (place / f"rows-{part}.jsonl").write_text("".join(f"{row}\n" for row in rows[part::parts]))
    shown: dict[str, Any] = {"json": json, "fiducial": fd, **known}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        if without not in block:
            exec(block, shown)
    return shown, [fd.check(row["case"], row["output"]) for row in map(json.loads, rows)]


def joined_rows() -> list[str]:
    """The demo suite's outputs, each beside its case, as lines."""
    cases = {case["id"]: case for case in map(json.loads, lines_of("cases.jsonl"))}
    outputs = map(json.loads, lines_of("outputs.jsonl"))
    rows = ({"case": cases[output["case_id"]], "output": output} for output in outputs)
    return [json.dumps(row) for row in rows if row["case"]["kind"] != "artifact"]


def lines_of(name: str) -> list[bytes]:
    """The lines of one of the demo suite's files."""
    return [raw for _, _, raw in read_lines(demo_path(name))]
