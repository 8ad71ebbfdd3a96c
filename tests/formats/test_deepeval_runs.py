"""DeepEval's cache of the latest run, and what `evaluate` returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd

CASE = {
    "name": "case_0",
    "input": "Where is the mill?",
    "actualOutput": "In Ostwick.",
    "expectedOutput": "In Ostwick.",
    "metricsData": [{"name": "Right", "threshold": 0.5, "success": True, "score": 1.0, "reason": "same"}],
}
RESULT = {
    "name": "case_0",
    "success": True,
    "input": "Where is the mill?",
    "actual_output": "In Ostwick.",
    "metrics_data": [{"name": "Right", "threshold": 0.5, "success": True, "score": 1.0, "error": None}],
    "conversational": False,
}


@each_row(
    "document",
    [
        {"testRunData": {"testCases": [CASE], "conversationalTestCases": [], "metricsScores": []}},
        {"test_run_data": {"test_cases": [CASE]}, "testRunLink": None},
        {"test_results": [RESULT], "confident_link": None},
        {"testResults": [{**CASE, "conversational": False}]},
        [RESULT],
    ],
)
def test_a_run_is_recognised_however_it_is_wrapped(document: Any, tmp_path: Path):
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps(document))
    read = fd.read(path)
    (verdict,) = read.verdicts
    assert (read.format, len(read.cases), verdict.by, verdict.score) == ("deepeval", 1, "Right", 1.0)
    assert read.outputs[0].text == "In Ostwick."


def test_the_folder_of_the_cache_is_read_though_its_file_is_hidden(tmp_path: Path):
    folder = tmp_path / ".deepeval"
    folder.mkdir()
    (folder / ".latest_test_run.json").write_text(json.dumps({"testRunData": {"testCases": [CASE]}}))
    (folder / ".deepeval").write_text("key=value")
    assert [verdict.by for verdict in fd.read(folder).verdicts] == ["Right"]
