"""Outputs of CrewAI's crews: what a task expects tells the agent what to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd

TASK: dict[str, Any] = {"description": "Where?", "name": None, "expected_output": "A city.", "summary": "Where?...", "raw": "Rome", "pydantic": None, "json_dict": None, "agent": "guide", "output_format": "raw"}  # fmt: skip
CREW: dict[str, Any] = {
    "raw": "Rome",
    "pydantic": None,
    "json_dict": None,
    "tasks_output": [TASK],
    "token_usage": {},
}


@each_row("written", [CREW, TASK, [TASK], [CREW]])
def test_the_expected_output_of_a_task_is_no_accepted_answer(written: object, tmp_path: Path):
    path = tmp_path / "crew.json"
    path.write_text(json.dumps(written))
    found = fd.read(path)
    assert found.format == "crewai"
    [case], [output] = found.cases, found.outputs
    assert (case.kind, case.messages) == ("open_answer", [{"role": "user", "content": "Where?"}])
    assert "answer" not in str(case.reference.get("answers", ""))
    assert case.tags["expected_output"] == "A city."
    assert (output.system, output.text) == ("guide", "Rome")
