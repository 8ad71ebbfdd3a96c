"""Logs of Inspect that ended early, and samples that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd


def log(status: str | None, samples: int, **header: Any) -> dict[str, Any]:
    made: list[dict[str, Any]] = [
        {"id": number, "epoch": 1, "input": "Where?", "target": "Rome", "messages": [], "scores": {"match": {"value": "C"}},
         "output": {"completion": "Rome", "choices": [{}]}}
        for number in range(samples)
    ]  # fmt: skip
    return {"version": 2, "status": status, "eval": {"model": "m", **header}, "samples": made}


@each_row(
    ("status", "header", "said"),
    [
        ("cancelled", {"dataset": {"samples": 100}}, "the log was cancelled: 3 of 100 samples"),
        ("error", {"dataset": {"samples": 5, "sample_ids": [0, 1, 2, 3]}}, "the log ended with an error: 3 of 4 samples"),
        ("started", {"dataset": {"samples": 4}, "config": {"epochs": 2}}, "the log is not finished: 3 of 8 samples"),
        ("success", {"dataset": {"samples": 100}}, None),
        ("cancelled", {"dataset": {"samples": 3}}, None),
        ("cancelled", {}, None),
    ],
)  # fmt: skip
def test_a_log_that_ended_early_says_how_many_samples_it_has(
    status: str, header: dict[str, Any], said: str | None, tmp_path: Path
):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log(status, 3, **header)))
    read = fd.read(path)
    assert (len(read.outputs), [skipped.reason for skipped in read.skipped]) == (3, [said] if said else [])


@each_row("role", [7, ["user"], {"a": 1}, True])
def test_a_message_whose_role_is_no_text_is_told_also_in_the_question(role: Any, tmp_path: Path):
    written = log("success", 2)
    written["samples"][0]["messages"] = [
        {"role": role, "content": "Where?"},
        {"role": "assistant", "content": "Rome"},
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(written))
    read = fd.read(path)
    assert [output.case_id for output in read.outputs] == ["1"]
    assert [skipped.field for skipped in read.skipped] == ["samples[0].messages[0].role"]
