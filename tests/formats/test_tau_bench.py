"""Results of tau-bench and tau2-bench: trials of a task whose simulated user talks anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fiducial as fd
from fiducial.formats.calls import call_of


def talk(opening: str) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": opening},
        {"role": "assistant", "content": "Which number?"},
        {"role": "user", "content": "41."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "cancel", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
        {"role": "assistant", "content": "Cancelled."},
    ]  # fmt: skip


def tau(task: int, trial: int, reward: float | None) -> dict[str, Any]:
    action = {"name": "cancel", "kwargs": {"number": 41}}
    return {
        "task_id": task,
        "reward": reward,
        "info": {"task": {"actions": [action], "instruction": "You want to cancel 41."}},
        "traj": talk(f"Hello {trial}, cancel please."),
        "trial": trial,
    }


def saved(value: Any, path: Path) -> Path:
    path.write_text(json.dumps(value))
    return path


def test_trials_of_a_task_are_outputs_of_one_case_each_with_what_its_user_said(tmp_path: Path):
    rows = [tau(task, trial, float(trial == 0)) for task in range(3) for trial in range(4)]
    read = fd.read(saved(rows, tmp_path / "gpt-4o-retail.json"))
    assert (read.format, len(read.cases), len(read.outputs), len(read.skipped)) == ("tau", 3, 12, 0)
    assert [(verdict.by, verdict.source, verdict.score) for verdict in read.verdicts[:2]] == [
        ("reward", "checker", 1.0),
        ("reward", "checker", 0.0),
    ]
    later = next(output for output in read.outputs if output.trial == 3)
    assert later.asked is not None
    assert later.asked[0][-1]["content"] == "Hello 3, cancel please."
    assert read.cases[0].tags["instruction"] == "You want to cancel 41."
    assert "cancel" in str(read.cases[0].tags["expected_actions"])


def test_the_same_rows_as_a_table_need_only_the_names_of_their_columns(tmp_path: Path):
    rows = [tau(task, trial, 1.0) for task in range(3) for trial in range(4)]
    path = saved(rows, tmp_path / "rows.json")
    read = fd.read(path, as_="json", map={"messages": "traj", "id": "task_id", "score": "reward"})
    assert (len(read.cases), len(read.outputs), len(read.verdicts), len(read.skipped)) == (3, 12, 12, 0)


def test_a_document_of_tau2_names_agent_task_and_what_was_not_graded(tmp_path: Path):
    simulation: dict[str, Any] = {
        "task_id": "7",
        "trial": 0,
        "messages": [
            *talk("Hello."),
            {"role": "user", "content": None, "tool_calls": [{"id": "u", "name": "reboot", "arguments": {}, "requestor": "user"}]},
            {"role": "tool", "id": "u", "content": "ok", "requestor": "user"},
        ],
        "reward_info": {"reward": 1.0, "reward_breakdown": {"DB": 1.0}},
        "termination_reason": "user_stop",
    }  # fmt: skip
    document: dict[str, Any] = {
        "info": {"agent_info": {"llm": "gpt-x"}},
        "tasks": [{"id": "7", "evaluation_criteria": {"actions": [{"name": "cancel", "arguments": {}}]}}],
        "simulations": [simulation, {**simulation, "trial": 1, "reward_info": None}],
    }
    read = fd.read(saved(document, tmp_path / "results.json"))
    assert (len(read.cases), [output.system for output in read.outputs]) == (1, ["gpt-x", "gpt-x"])
    assert [(verdict.outcome, verdict.score) for verdict in read.verdicts] == [
        ("graded", 1.0),
        ("not_applicable", None),
    ]
    assert [call.name for call in read.outputs[0].tool_calls or []] == ["cancel"]
    assert read.cases[0].tags["termination_reason"] == "user_stop"
    assert len(read.skipped) == 2
    assert all("simulated user (2)" in skipped.reason for skipped in read.skipped)


def test_a_call_may_have_its_arguments_as_kwargs():
    assert call_of({"name": "book", "kwargs": {"to": "Rome"}}).call.arguments == {"to": "Rome"}
