"""promptfoo itself, with its echo provider."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd

PROMPTFOO = os.environ.get("PROMPTFOO") or shutil.which("promptfoo") or ""

CONFIG: dict[str, Any] = {
    "prompts": ["Hello {{name}}"],
    "providers": ["echo"],
    "tests": [
        {
            "vars": {"name": "Ann"},
            "assert": [
                {"type": "equals", "value": "Hello Ann", "metric": "exact"},
                {"type": "javascript", "value": "output.nothing.at.all", "metric": "broken"},
            ],
        },
        {"vars": {"name": "Bob"}, "assert": [{"type": "equals", "value": "Bye Bob", "metric": "exact"}]},
    ],
}


@pytest.mark.skipif(not PROMPTFOO, reason="make formats brings promptfoo where npm is there")
def test_results_are_read_and_a_broken_assertion_is_no_zero(tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    environment = os.environ | {"PROMPTFOO_CONFIG_DIR": str(tmp_path / "home"), "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"}  # fmt: skip
    for form in ("json", "jsonl"):
        command = [
            PROMPTFOO,
            "eval",
            "-c",
            "config.json",
            "-o",
            f"out.{form}",
            "--no-cache",
            "--no-progress-bar",
        ]
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120)
        read = fd.read(tmp_path / f"out.{form}")
        assert read.format == "promptfoo"
        assert [(o.case_id, o.system, o.text) for o in read.outputs] == [
            ("test-0", "echo", "Hello Ann"),
            ("test-1", "echo", "Hello Bob"),
        ]
        said = {(v.case_id, v.by): (v.outcome, v.score) for v in read.verdicts}
        assert said["test-0", "exact"] == ("graded", 1.0)
        assert said["test-0", "broken"] == ("failed", None)
        assert said["test-1", "exact"] == ("graded", 0.0)
