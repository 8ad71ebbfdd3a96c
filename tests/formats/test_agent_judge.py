"""DevAI's tasks, and judgments of Agent-as-a-Judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fiducial as fd


def requirement(number: int, **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "requirement_id": number,
        "criteria": f"It does {number}.",
        "category": "ML",
    }
    return told | more


def read_of(value: Any, path: Path) -> fd.Reading:
    path.write_text(json.dumps(value))
    return fd.read(path)


def test_a_task_is_a_case_with_a_criterion_per_requirement(tmp_path: Path):
    read = read_of(
        {"name": "39", "query": "Build.", "requirements": [requirement(0), requirement(1)]},
        tmp_path / "39.json",
    )
    (case,) = read.cases
    assert (case.id, [each["text"] for each in case.reference["criteria"]]) == (
        "39",
        ["It does 0.", "It does 1."],
    )


def test_a_judgment_is_a_verdict_per_requirement(tmp_path: Path):
    stats = [
        {
            "satisfied": number == 0,
            "requirement_index": number,
            "criteria": "c",
            "llm_stats": {"reason": "seen"},
        }
        for number in range(2)
    ]
    read = read_of({"judge_stats": stats, "total_time": 1.0}, tmp_path / "39.json")
    assert [(verdict.case_id, verdict.by, verdict.score, verdict.reason) for verdict in read.verdicts] == [
        ("39/0", "agent-as-a-judge", 1.0, "seen"),
        ("39/1", "agent-as-a-judge", 0.0, "seen"),
    ]
    assert {case.cluster for case in read.cases} == {"39"}


def test_a_requirement_without_a_judgment_is_listed(tmp_path: Path):
    task = {"name": "39", "requirements": [requirement(0, satisfied=True), requirement(1, satisfied=None)]}
    read = read_of(task, tmp_path / "39.json")
    assert (len(read.verdicts), [skipped.field for skipped in read.skipped]) == (1, ["satisfied"])
