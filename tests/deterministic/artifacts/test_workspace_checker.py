from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from workspaces import lay_out, verdict_on_workspace

from fiducial.deterministic import check
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.records import Case, Output, Verdict

Files = dict[str, str]


def verdict_on(
    folder: Path, files: Files, ground: dict[str, Any], rules: Any = "bfcl", /, **options: Any
) -> Verdict:
    """The verdict on a workspace with these files, in a folder of a test's own."""
    reference = {"ground": {"files": [".txt"], **ground}}
    return verdict_on_workspace(lay_out(folder, files), reference, rules, **options)


@each_row(
    ("files", "ground", "score", "error_type"),
    [
        ({"a.txt": "in Washington."}, {"should_contain": ["Washington"]}, 1.0, None),
        ({"a.txt": "in WASHINGTON"}, {"should_contain": ["Washington"]}, 0.0, "missing_word"),
        ({"a.txt": "Washingtonian"}, {"should_contain": ["Washington"]}, 1.0, None),
        ({"a.txt": "x", "b.txt": "Washington"}, {"should_contain": ["Washington"]}, 1.0, None),
        ({"a.txt": "one", "b.txt": "two"}, {"should_contain": ["one", "two"]}, 0.0, "missing_word"),
        (
            {"a.txt": "one two"},
            {"should_contain": ["one"], "should_not_contain": ["two"]},
            0.0,
            "forbidden_word",
        ),
        (
            {"a.txt": "one two", "b.txt": "one"},
            {"should_contain": ["one"], "should_not_contain": ["two"]},
            1.0,
            None,
        ),
        ({"a.txt": "anything"}, {"should_contain": None, "should_not_contain": []}, 1.0, None),
        ({"a.md": "Washington"}, {"should_contain": ["Washington"]}, 0.0, "missing_file"),
        ({"sub/a.txt": "Washington"}, {"should_contain": ["Washington"]}, 0.0, "missing_file"),
        ({".a.txt": "Washington"}, {"should_contain": ["Washington"]}, 0.0, "missing_file"),
        ({"a.b.txt": "Washington"}, {"should_contain": ["Washington"]}, 1.0, None),
        ({"sub/a.txt": "one"}, {"files": ["sub/a.txt"], "should_contain": ["one"]}, 1.0, None),
        ({"a.txt": "one"}, {"files": ["a.txt", "b.txt"], "should_contain": ["one"]}, 0.0, "missing_file"),
        ({"a.txt": "one\r\ntwo"}, {"should_contain": ["one\ntwo"]}, 1.0, None),
        ({"a.txt": "one"}, {"should_contain": ["one"], "type": "something new"}, 1.0, None),
        ({"a.txt": "one"}, {"should_contain": ["ONE"], "case_sensitive": False}, 1.0, None),
    ],
)
def test_files_are_scored_as_by_the_original(
    tmp_path: Path, files: Files, ground: dict[str, Any], score: float, error_type: str | None
):
    verdict = verdict_on(tmp_path, files, ground)
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", score, error_type)
    assert verdict.by == "artifact/bfcl"


@each_row(
    ("options", "files", "words", "score"),
    [
        ({"files": "all"}, {"a.txt": "one", "b.txt": "x"}, ["one"], 0.0),
        ({"files": "all"}, {"a.txt": "one", "b.txt": "one"}, ["one"], 1.0),
        ({"case_insensitive": True}, {"a.txt": "ONE"}, ["one"], 1.0),
        ({"case_insensitive": True}, {"a.txt": "STRASSE"}, ["straße"], 1.0),
        ({"whole_word": True}, {"a.txt": "someone"}, ["one"], 0.0),
        ({"whole_word": True}, {"a.txt": "(one)."}, ["one"], 1.0),
        ({"whole_word": True}, {"a.txt": "a $9.99!"}, ["$9.99"], 1.0),
    ],
)
def test_options_change_what_counts(
    tmp_path: Path, options: Any, files: Files, words: list[str], score: float
):
    assert verdict_on(tmp_path, files, {"should_contain": words}, **options).score == score


def test_the_reason_names_file_and_word(tmp_path: Path):
    files = {"a.txt": "x", "b.txt": "Rome, Paris"}
    ground = {"should_contain": ["Rome"], "should_not_contain": ["Paris"]}
    verdict = verdict_on(tmp_path, files, ground)
    assert verdict.reason == "a.txt does not contain 'Rome'; b.txt must not contain 'Paris'"
    assert verdict.evidence == {"scores": [0.0, 0.0], "files": ["a.txt", "b.txt"]}


@pytest.mark.parametrize("workspace", [None, "nowhere"])
def test_no_output_is_the_systems_failure(tmp_path: Path, workspace: str | None):
    case = Case(id="c", kind="artifact", reference={"ground": {"files": [".txt"]}})
    path = None if workspace is None else str(tmp_path / workspace)
    verdict = check(case, Output(case_id="c", system="s", workspace=path))
    assert (verdict.score, verdict.error_type) == (0.0, "no_output")


def test_a_workspace_that_is_a_link_is_not_entered(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert (
        verdict_on(tmp_path / "link", {"a.txt": "one"}, {"should_contain": ["one"]}).error_type
        == "outside_workspace"
    )


@pytest.mark.parametrize("entry", ["/etc/passwd", "../a.txt", "sub/../../a.txt", "a\0.txt"])
def test_a_challenge_that_names_files_elsewhere_is_not_applicable(tmp_path: Path, entry: str):
    verdict = verdict_on(tmp_path, {"a.txt": "x"}, {"files": [entry]})
    assert (verdict.outcome, verdict.error_type) == ("not_applicable", "unusable_challenge")


def test_an_open_answer_goes_to_a_judge_once_there_is_one(tmp_path: Path):
    ground = {"answer": "A plan.", "eval": {"type": "llm", "scoring": "binary", "template": "rubric"}}
    assert verdict_on(tmp_path, {}, ground).error_type == "missing_file"
    assert verdict_on(tmp_path, {"plan.txt": "First ..."}, ground).outcome == "undecided"


@pytest.mark.parametrize("kind", ["python", "execute_python_code", "custom_python", "pytest"])
def test_code_is_not_run_unless_it_is_allowed(tmp_path: Path, kind: str):
    mark = tmp_path / "ran"
    files = {"test.py": f"open({str(mark)!r}, 'w')"}
    verdict = verdict_on(tmp_path, files, {"files": ["test.py"], "type": kind})
    assert (verdict.outcome, verdict.error_type) == ("not_applicable", "code_not_allowed")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("code", "score", "error_type"),
    [
        ("print('one')", 1.0, None),
        ("print('two')", 0.0, "missing_word"),
        ("print('one')\nraise SystemExit(1)", 0.0, "script_failed"),
        (
            "import sys\nprint('one', file=sys.stdout)\nprint('an error', file=sys.stderr)",
            0.0,
            "script_failed",
        ),
        ("import sys\nprint('one')\nprint('an ERROR', file=sys.stderr)", 1.0, None),
        ("import solution", 0.0, "script_failed"),
        ("while True: pass", 0.0, "timeout"),
    ],
)
def test_scripts_are_scored_by_what_they_print(
    tmp_path: Path, code: str, score: float, error_type: str | None
):
    ground = {"files": ["test.py"], "should_contain": ["one"], "eval": {"type": "python"}}
    limits = Limits(wall_seconds=3, cpu_seconds=1)
    verdict = verdict_on(tmp_path, {"test.py": code}, ground, allow_code=True, limits=limits)
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", score, error_type)
    assert set(verdict.evidence["sandbox"]) == {"files", "network", "processes", "calls", "memory"}


def test_every_script_of_an_ending_runs_in_the_same_workspace(tmp_path: Path):
    files = {"a.py": "open('made', 'w').write('one')\nprint('x')", "b.py": "print(open('made').read())"}
    verdict = verdict_on(
        tmp_path, files, {"files": [".py"], "should_contain": ["one"], "type": "python"}, allow_code=True
    )
    assert verdict.evidence["scores"] == [0.0, 1.0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "b.py"]


def test_pytest_runs_the_tests(tmp_path: Path):
    files = {
        "solution.py": "def one(): return 1",
        "test_it.py": "from solution import one\ndef test_one(): assert one() == 1",
    }
    ground = {"files": [], "should_contain": ["1 passed"], "type": "pytest"}
    assert verdict_on(tmp_path, files, ground, allow_code=True).score == 1.0
    wrong = {**files, "solution.py": "def one(): return 2"}
    assert verdict_on(tmp_path, wrong, ground, allow_code=True).error_type == "script_failed"


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, Any]:
    """A challenge with a hidden test of a function that the agent is to write."""
    test = "from solution import double\nassert double(2) == 4\nprint('right')\n"
    folder = lay_out(tmp_path / "challenge", {"custom_python/test.py": test})
    ground = {"files": ["test.py"], "should_contain": ["right"], "type": "python"}
    return {"ground": ground, "folder": str(folder)}


RIGHT, WRONG = "def double(x): return 2 * x", "def double(x): return x"


@pytest.mark.parametrize(
    ("files", "rules", "score"),
    [
        ({"solution.py": RIGHT}, "bfcl", 1.0),
        ({"solution.py": WRONG}, "bfcl", 0.0),
        ({"solution.py": WRONG, "test.py": "print('right')"}, "bfcl", 0.0),
        ({"solution.py": RIGHT, "test.py": "print('wrong')"}, "bfcl", 0.0),
        ({"solution.py": RIGHT, "test.py": "print('wrong')"}, "strict", 1.0),
        ({"solution.py": WRONG, "test.py": "print('right')"}, "strict", 0.0),
        ({"solution.py": RIGHT, "test.py/x.py": ""}, "bfcl", 1.0),
    ],
)
def test_hidden_tests_decide_whatever_the_agent_left(
    tmp_path: Path, hidden: dict[str, Any], files: Files, rules: Any, score: float
):
    workspace = lay_out(tmp_path / "workspace", files)
    assert verdict_on_workspace(workspace, hidden, rules, allow_code=True).score == score


def test_under_strict_rules_no_file_stands_in_for_a_library(tmp_path: Path):
    files = {
        "test.py": "import unittest\nclass T(unittest.TestCase):\n def test(self): self.fail()\nunittest.main()",
        "unittest.py": "class TestCase: pass\ndef main(): print('one')",
    }
    ground = {"files": ["test.py"], "type": "python"}
    assert verdict_on(tmp_path, files, ground, allow_code=True).score == 1.0
    assert verdict_on(tmp_path, files, ground, "strict", allow_code=True).error_type == "script_failed"


def test_hidden_tests_that_are_gone_make_the_case_not_applicable(tmp_path: Path, hidden: dict[str, Any]):
    reference = {**hidden, "folder": str(tmp_path / "gone")}
    verdict = verdict_on_workspace(tmp_path, reference, "strict", allow_code=True)
    assert (verdict.outcome, verdict.error_type) == ("not_applicable", "unusable_challenge")
