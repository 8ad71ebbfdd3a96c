from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import InputError
from fiducial.formats.agbenchmark import ChallengeResult, read_challenges, report_of
from fiducial.records import Case, ItemKey, Output, Verdict, decode_record, encode_record

DATA: dict[str, Any] = {
    "name": "TestPlan",
    "category": ["writing", "memory"],
    "task": "Write a plan.",
    "dependencies": ["TestWrite"],
    "cutoff": 60,
    "ground": {"answer": "A plan.", "should_contain": ["plan"], "files": [".txt"], "eval": {"type": "file"}},
    "info": {"difficulty": "Basic", "description": "Tests planning", "side_effects": []},
    "mock": {"mock_func": "f", "mock_task": "t"},
    "something_new": [1, {"a": None}],
}


def challenge(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.json").write_text(json.dumps({**DATA, **changes}), encoding="utf-8")
    return folder


def test_a_challenge_becomes_an_artifact_case(tmp_path: Path):
    challenge(tmp_path / "memory" / "plan")
    (case,) = read_challenges(tmp_path)
    assert (case.id, case.kind, case.cluster) == ("memory/plan", "artifact", "TestPlan")
    assert case.messages == [{"role": "user", "content": "Write a plan."}]
    assert case.tags == {
        "name": "TestPlan",
        "evaluation": "file",
        "category": "writing",
        "categories": "writing, memory",
        "difficulty": "basic",
    }


def test_every_field_is_kept_unknown_ones_too_and_survives_the_cases_file(tmp_path: Path):
    folder = challenge(tmp_path / "plan")
    (case,) = read_challenges(tmp_path)
    assert case.reference == {**DATA, "folder": str(folder)}
    assert decode_record(encode_record(case), Case) == case


@pytest.mark.parametrize(
    ("ground", "evaluation"),
    [
        ({"type": "execute_python_code"}, "execute_python_code"),
        ({"eval": {"type": "llm", "scoring": "scale", "template": "rubric"}}, "llm"),
        ({}, "file"),
    ],
)
def test_both_generations_of_the_schema_are_read(tmp_path: Path, ground: dict[str, Any], evaluation: str):
    challenge(tmp_path / "c", ground={"answer": "", "files": [".txt"], **ground})
    (case,) = read_challenges(str(tmp_path))
    assert case.tags["evaluation"] == evaluation
    assert case.reference["ground"] == {"answer": "", "files": [".txt"], **ground}


def test_challenges_come_in_order_and_artifacts_are_none(tmp_path: Path):
    for name in ("b", "a/z", "a"):
        challenge(tmp_path / name)
    challenge(tmp_path / "a" / "artifacts_out" / "decoy")
    assert [case.id for case in read_challenges(tmp_path)] == ["a", "a/z", "b"]


def test_one_challenges_own_folder_is_enough(tmp_path: Path):
    assert [case.id for case in read_challenges(challenge(tmp_path / "plan"))] == ["plan"]


@pytest.mark.parametrize(("same_task", "task"), [(True, "Do both."), (False, "Write a plan.")])
def test_a_suite_of_one_task_gives_its_task_to_its_challenges(tmp_path: Path, same_task: bool, task: str):
    challenge(tmp_path / "suite" / "one")
    suite = {"same_task": same_task, "prefix": "TestBoth", "task": "Do both."}
    (tmp_path / "suite" / "suite.json").write_text(json.dumps(suite))
    (case,) = read_challenges(tmp_path)
    assert case.messages == [{"role": "user", "content": task}]
    assert (case.reference["suite"], case.tags["suite"]) == (suite, "TestBoth")


@each_row(
    ("text", "message"),
    [
        ("{", "data.json: Input data was truncated"),
        ("[]", "data.json: Expected `object`, got `array`"),
        (json.dumps({**DATA, "name": 3}), "data.json: name: Expected `str`, got `int`"),
        (
            json.dumps({**DATA, "ground": {"files": ".txt"}}),
            "data.json: ground.files: Expected `array`, got `str`",
        ),
        ('{"name": "\ud800"}', "data.json: "),
        ("[" * 100_000, "data.json: "),
        ("x" * (5 << 20), "data.json: larger than 4 MiB"),
    ],
)
def test_what_is_no_challenge_is_refused_by_file_and_field(tmp_path: Path, text: str, message: str):
    (tmp_path / "data.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError) as caught:
        list(read_challenges(tmp_path))
    assert message in str(caught.value)


def test_a_folder_without_challenges_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="no challenge here"):
        list(read_challenges(tmp_path))
    with pytest.raises(InputError, match="not a folder"):
        list(read_challenges(tmp_path / "nowhere"))


WITHOUT_NAME = """{
"category": ["basic"], // the first one counts
"task": "Write the capital of Italy into a .txt file: https://example.org/#rome",
"dependencies": ["TestWriteFile"], # the class name of the test
"ground": {"answer": "Rome", "should_contain": ["Rome"], "files": [".txt"], "type": "file"},
"info": {"difficulty": "basic", "description": "Tests \\"writing\\" # a lot", "side_effects": []}
}"""


def test_a_challenge_with_comments_and_without_a_name_is_called_as_its_folder(tmp_path: Path):
    (tmp_path / "capital").mkdir()
    (tmp_path / "capital" / "data.json").write_text(WITHOUT_NAME)
    (case,) = read_challenges(tmp_path)
    assert (case.reference["name"], case.tags["name"], case.cluster) == ("capital", "capital", "capital")
    assert (
        case.all_messages[0]["content"]
        == "Write the capital of Italy into a .txt file: https://example.org/#rome"
    )
    assert case.reference["info"]["description"] == 'Tests "writing" # a lot'
    assert case.reference["dependencies"] == ["TestWriteFile"]


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        ("class TestCapital(Challenge):\n    pass\n", "TestCapital"),
        ("class TestA: ...\nclass TestB: ...\n", "capital"),
    ],
)
def test_a_challenge_without_a_name_is_called_as_the_one_test_class_beside_it(
    tmp_path: Path, classes: str, name: str
):
    (tmp_path / "capital").mkdir()
    (tmp_path / "capital" / "data.json").write_text(WITHOUT_NAME)
    (tmp_path / "capital" / "capital_test.py").write_text(classes)
    (case,) = read_challenges(tmp_path)
    assert case.reference["name"] == name


def test_malformed_json_is_refused_with_its_line(tmp_path: Path):
    (tmp_path / "data.json").write_text(WITHOUT_NAME.replace('"type": "file"}', '"type": file}'))
    with pytest.raises(InputError, match=r"data\.json:5: JSON is malformed"):
        list(read_challenges(tmp_path))


@pytest.mark.reference
def test_every_challenge_of_the_data_set_is_read_with_all_its_fields(reference: Path):
    for root in ("challenges", "seed_era_data_json"):
        folder = reference / "agbenchmark" / root
        cases = list(read_challenges(folder))
        assert len(cases) == len(list(folder.rglob("data.json")))
        for case in cases:
            fields = json.loads((folder / case.id / "data.json").read_text(encoding="utf-8"))
            assert {key: case.reference[key] for key in fields} == fields


def attempt(number: int, difficulty: str, verdict: Verdict | None) -> ChallengeResult:
    reference = {**DATA, "info": {"difficulty": difficulty, "description": "d"}, "folder": f"/c/{number}"}
    case = Case(id=f"c{number}", kind="artifact", reference=reference, tags={"difficulty": difficulty})
    return ChallengeResult(case, verdict, verdict is not None and verdict.score == 1.0, 1.25)


def test_the_report_has_the_originals_form():
    output = Output(case_id="c", system="s")
    attempts = [
        attempt(0, "novice", Verdict.on(output.key, score=1.0, by="artifact/bfcl", source="checker")),
        attempt(
            1,
            "expert",
            Verdict.on(
                output.key,
                score=0.0,
                by="artifact/bfcl",
                source="checker",
                reason="a.txt does not contain 'x'",
            ),
        ),
        attempt(
            2,
            "basic",
            Verdict.on(
                output.key,
                outcome="not_applicable",
                by="artifact/bfcl",
                source="checker",
                reason="depends on TestWrite",
            ),
        ),
        attempt(3, "human", None),
    ]
    start, end = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(2026, 1, 2, 3, 4, 7, tzinfo=UTC)
    report = report_of(attempts, command="run", started=start, ended=end, config={"agent": "a"})
    assert report["benchmark_start_time"] == "2026-01-02T03:04:05+00:00"
    assert report["metrics"] == {"run_time": "2.0 seconds", "highest_difficulty": "novice: 3"}
    assert list(report["tests"]) == ["TestPlan", "TestPlan [c1]", "TestPlan [c2]", "TestPlan [c3]"]
    first, second, third, fourth = report["tests"].values()
    assert first["metrics"] == {
        "difficulty": "novice",
        "success": True,
        "attempted": True,
        "success_%": 100.0,
        "cost": None,
        "run_time": "1.2 seconds",
    }
    assert (second["metrics"]["attempted"], second["metrics"]["fail_reason"]) == (
        True,
        "a.txt does not contain 'x'",
    )
    assert (third["metrics"]["attempted"], third["metrics"]["fail_reason"]) == (False, "depends on TestWrite")
    assert (fourth["metrics"]["attempted"], fourth["metrics"]["fail_reason"]) == (False, "no output")


@pytest.mark.parametrize("scores", [(1.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 1.0, 0.0)])
def test_a_challenge_that_failed_in_one_of_its_trials_is_no_success(scores: tuple[float, ...]):
    made = attempt(0, "basic", None)
    trials = [
        made._replace(
            verdict=Verdict.on(
                ItemKey("c", "s", trial), score=score, by="a", source="checker", reason=f"trial {trial}"
            ),
            success=score == 1.0,
        )
        for trial, score in enumerate(scores)
    ]
    now = datetime(2026, 1, 2, tzinfo=UTC)
    (test,) = report_of(trials, command="run", started=now, ended=now, config={})["tests"].values()
    assert (test["metrics"]["success"], test["metrics"]["success_%"]) == (False, pytest.approx(200 / 3))
    assert test["metrics"]["fail_reason"] == f"trial {scores.index(0.0)}"


def test_without_a_success_there_is_no_highest_difficulty():
    now = datetime(2026, 1, 2, tzinfo=UTC)
    report = report_of([attempt(0, "basic", None)], command="run", started=now, ended=now, config={})
    assert report["metrics"]["highest_difficulty"] == "No successful tests"
