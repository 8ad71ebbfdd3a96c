"""Verdicts as tests of JUnit: what failed, what could not be graded, and what was not due."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from fiducial.formats.export_items import ExportContext, ExportItem
from fiducial.formats.to_junit import write
from fiducial.records import Case, ItemKey, Outcome, Output, Verdict

COUNTS = ("tests", "failures", "errors", "skipped")


def verdict(system: str, outcome: Outcome = "graded", score: float | None = None) -> Verdict:
    return Verdict.on(ItemKey("c", system, 0), by="j", source="judge", outcome=outcome, score=score)


def suites(
    folder: Path, *verdicts: Verdict, thresholds: Mapping[str, float] | None = None
) -> dict[str, list[int]]:
    """Return the counts of each suite, and of all."""
    items = [
        ExportItem(Case(id="c", kind="open_answer"), Output(case_id="c", system=each.system), [each])
        for each in verdicts
    ]
    context = ExportContext("task", "2026-01-02T03:04:05+00:00", thresholds or {}, {})
    write(items, folder / "junit.xml", context)
    root = ET.parse(folder / "junit.xml").getroot()
    return {
        element.get("name", ""): [int(element.get(name, "")) for name in COUNTS] for element in (root, *root)
    }


def test_each_count_is_of_its_own_and_of_its_own_system(tmp_path: Path):
    of_a = [verdict("a", score=1.0), verdict("a", "failed"), *[verdict("a", score=0.0)] * 2]
    of_b = [verdict("b", score=0.0), *[verdict("b", "undecided")] * 3]
    found = suites(tmp_path, *of_a, *of_b)
    assert found == {"task": [8, 3, 1, 3], "a": [4, 2, 1, 0], "b": [4, 1, 0, 3]}


def test_a_score_passes_at_the_threshold_of_its_judge(tmp_path: Path):
    said = [verdict("a", score=score) for score in (0.5, 0.75, 1.0)]
    assert suites(tmp_path, *said)["a"] == [3, 0, 0, 0]
    assert suites(tmp_path, *said, thresholds={"j": 0.75})["a"] == [3, 1, 0, 0]
