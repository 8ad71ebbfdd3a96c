"""DeepEval's ``EvaluationResult``, as its ``evaluate`` returns it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fiducial as fd


def metric(name: str, score: float | None, **more: Any) -> dict[str, Any]:
    return {"name": name, "threshold": 0.5, "success": score == 1.0, "score": score, "reason": None, "error": None, **more}  # fmt: skip


def test_the_metrics_of_an_evaluation_result_are_verdicts(tmp_path: Path):
    calls = [{"name": "f", "input_parameters": {"x": 1}}]
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", "tools_called": calls}]  # fmt: skip
    result = {"name": "a", "success": True, "metrics_data": [metric("exact", 1.0), metric("err", None, error="down")], "conversational": False, "input": "Where?", "actual_output": "Rome"}  # fmt: skip
    spoken = {"name": "b", "success": True, "metrics_data": [metric("polite", 0.0)], "conversational": True, "turns": turns}  # fmt: skip
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"test_results": [result, spoken], "confident_link": None, "test_run_id": None}))  # fmt: skip
    found = fd.read(path)
    assert found.format == "deepeval"
    assert [(v.case_id, v.by, v.outcome, v.score) for v in found.verdicts] == [
        ("a", "exact", "graded", 1.0),
        ("a", "err", "failed", None),
        ("b", "polite", "graded", 0.0),
    ]
    assert [[call.name for call in output.tool_calls or []] for output in found.outputs] == [[], ["f"]]
