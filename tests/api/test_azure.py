"""Judges as custom evaluators of azure-ai-evaluation.

Needs the extra ``azure`` (``make promptflow``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from distributions import installed
from flow_rows import ROWS, number, told_apart
from provider_server import Answer, ProviderServer, Response, Seen, in_the_form_asked_for

pytestmark = pytest.mark.skipif(
    not installed("azure-ai-evaluation"),
    reason="the extra 'azure' is not installed: `make promptflow` runs these tests",
)

EVALUATE = """
import json, sys
from azure.ai.evaluation import evaluate
from fiducial.api.evaluators import EVALUATORS

if __name__ == "__main__":
    judge, base_url, data = sys.argv[1:]
    columns = json.loads(open(data).readline())
    result = evaluate(
        data=data,
        evaluators={"ours": EVALUATORS[judge]("m", base_url=base_url, api_key="k")},
        evaluator_config={"ours": {"column_mapping": {column: "${data." + column + "}" for column in columns}}},
    )
    open("result.json", "w").write(json.dumps({"rows": result["rows"], "metrics": result["metrics"]}))
"""


def evaluate(judge: str, rows: list[dict[str, Any]], server: ProviderServer, folder: Path) -> dict[str, Any]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "run.py").write_text(EVALUATE)
    shown = subprocess.run(
        [sys.executable, "run.py", judge, server.base_url, "rows.jsonl"],
        cwd=folder,
        env=os.environ | {"HOME": str(folder), "PF_HOME_DIRECTORY": str(folder / "promptflow")},
        capture_output=True,
        text=True,
        check=False,
        timeout=240.0,
    )
    assert (folder / "result.json").exists(), shown.stdout + shown.stderr
    return json.loads((folder / "result.json").read_text())


@pytest.mark.parametrize("judge", ROWS)
def test_every_judge_is_an_evaluator(judge: str, server: ProviderServer, tmp_path: Path):
    server.script = in_the_form_asked_for(lambda seen: number(seen) % 2)
    result = evaluate(judge, told_apart(ROWS[judge], 8), server, tmp_path)
    scores = [row[f"outputs.ours.{judge}_score"] for row in result["rows"]]
    assert scores == [0.0, 1.0] * 4
    assert {row[f"outputs.ours.{judge}_status"] for row in result["rows"]} == {"completed"}
    assert result["metrics"][f"ours.{judge}_mean"] == 0.5


def test_a_reply_that_cannot_be_read_is_no_score_and_is_counted(server: ProviderServer, tmp_path: Path):
    good = in_the_form_asked_for()

    def script(seen: Seen) -> Response:
        return Answer("who knows") if "City3?" in seen.text else good(seen)

    server.script = script
    rows = [{**ROWS["rubric"], "query": f"City{number}?"} for number in range(6)]
    result = evaluate("rubric", rows, server, tmp_path)
    statuses = [row["outputs.ours.rubric_status"] for row in result["rows"]]
    assert statuses == ["completed"] * 3 + ["unparsable"] + ["completed"] * 2
    assert (result["metrics"]["ours.rubric_graded"], result["metrics"]["ours.rubric_unparsable"]) == (5, 1)
    assert result["metrics"]["ours.rubric_mean"] == 1.0
