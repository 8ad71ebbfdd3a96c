"""Verdicts and error types of the original over its own data, record by record."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fiducial.deterministic.multi_turn import check_turns
from fiducial.deterministic.multi_turn.trajectory import examine
from fiducial.deterministic.options import CheckOptions
from fiducial.formats.bfcl import expand, open_source, read_cases
from fiducial.records import Case

pytestmark = pytest.mark.reference

DIFFERENT_ON_PURPOSE = ("print(", "len(", "__import__(")
"""Calls of Python's own functions: the original evaluates them, here there are none (docs/bfcl-differences.md)."""


@pytest.fixture(scope="module")
def cases(reference: Path) -> dict[str, Case]:
    source = open_source(reference / "bfcl" / "data")
    return {case.id: case for category in expand(["multi_turn"]) for case in read_cases(source, category)}


def test_every_reference_trajectory_is_valid(cases: dict[str, Case]):
    assert len(cases) == 800
    for case in cases.values():
        calls: list[list[str]] = case.reference["calls"]
        for turns in ([[turn] for turn in calls], [[[call] for call in turn] for turn in calls]):
            for rules in ("bfcl", "strict"):
                finding = check_turns(case, turns, mode="decoded", options=CheckOptions(rules=rules))
                assert finding.valid, f"{case.id} under {rules} rules: {finding.reason}"


def test_every_record_has_the_verdict_of_the_original(cases: dict[str, Case], reference: Path):
    wrong: list[str] = []
    seen = 0
    for record in _records(reference / "bfcl" / "reference" / "multi_turn.jsonl.gz"):
        finding = check_turns(cases[record["id"]], record["turns"], mode=record["level"])
        seen += 1
        if (finding.valid, finding.error_type) != (record["valid"], record["error_type"]):
            wrong.append(f"{record['id']} ({record['mutation']}): {record['error_type']}, got {finding}")
    print(f"{seen} records compared")
    assert seen
    assert not wrong, "\n".join(wrong[:10])


def test_every_step_has_the_results_of_the_original(cases: dict[str, Case], reference: Path):
    wrong: list[str] = []
    seen = excused = 0
    for record in _records(reference / "bfcl" / "reference" / "multi_turn.jsonl.gz"):
        if "step_results" not in record:
            continue
        examination = examine(cases[record["id"]], record["turns"], mode=record["level"])
        results = [[_shortened(text) for text in step] for step in examination.step_results]
        seen += 1
        if results != record["step_results"]:
            if _is_excused(record, results):
                excused += 1
            else:
                wrong.append(
                    f"{record['id']} ({record['mutation']}): {record['step_results']}, got {results}"
                )
    print(f"{seen} records compared, {excused} differ as documented")
    assert seen
    assert not wrong, "\n".join(wrong[:10])


def test_every_real_output_has_the_verdict_of_the_original(cases: dict[str, Case], reference: Path):
    files = sorted((reference / "bfcl_real").glob("*/*/multi_turn_*.jsonl"))
    assert files
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            finding = check_turns(cases[record["id"]], record["raw"], mode="fc")
            assert (finding.valid, finding.error_type) == (record["valid"], record.get("error_type")), record[
                "id"
            ]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _shortened(text: str) -> Any:
    """Long results are recorded by length, hash and beginning."""
    if len(text) <= 1500:
        return text
    return {"len": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest(), "head": text[:100]}


def _is_excused(record: dict[str, Any], results: list[list[Any]]) -> bool:
    """Return whether the only difference is one call of a Python function."""
    odd = any(
        str(call).startswith(DIFFERENT_ON_PURPOSE)
        for turn in record["turns"]
        for step in turn
        for call in step
    )
    expected = [text for step in record["step_results"] for text in step]
    got = [text for step in results for text in step]
    different = [other for one, other in zip(expected, got, strict=True) if one != other]
    return odd and len(different) == 1 and "is not defined" in different[0]
