"""agbenchmark's challenges: 131 to 156."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from .kit import ROOT, Done, folder, item, needs, ran, run, same, verdicts_of

ARTIFACTS = "docs/artifacts.md"

CAPITAL = """{
"category": ["basic"],
"task": "Write the capital of the USA into a .txt file",
"dependencies": [%s], # the class name of the test
"ground": {
"answer": "Washington",
"should_contain": ["Washington"],
"should_not_contain": ["New York", "Los Angeles", "San Francisco"],
"files": [".txt"],
"type": "file"
},
"info": {
"difficulty": "basic",
"description": "Writes a file",
"side_effects": ["needs a model"]
}
}
"""


def _put(
    root: Path, name: str, data: str, solution: dict[str, str], tests: dict[str, str] | None = None
) -> None:
    for part, files in (
        ("", {"data.json": data}),
        ("artifacts_out", solution),
        ("custom_python", tests or {}),
    ):
        for file, text in files.items():
            path = root / name / part / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _challenge(name: str, **ground: Any) -> str:
    fields = {"answer": "4", "files": ["out.txt"], "should_contain": ["4"], **ground}
    return json.dumps(
        {
            "name": name,
            "category": ["code", "general"],
            "task": f"Do {name}.",
            "dependencies": [],
            "cutoff": 1,
            "ground": fields,
            "info": {"difficulty": "novice", "description": "d", "side_effects": []},
        }
    )


@cache
def _cases(dependency: str = '"TestWriteFile"', written: str = "yes") -> Path:
    """Write three challenges: a file, the seed's own, and one that runs code called code.py."""
    root = folder() / "challenges"
    _put(
        root,
        "write_file",
        _challenge("TestWriteFile", files=[".txt"], should_contain=["yes"]),
        {"a.txt": written},
    )
    _put(root, "capital", CAPITAL % dependency, {"answer.txt": "Washington"})
    (root / "capital/artifacts_in").mkdir()
    (root / "capital/artifacts_in/given.md").write_text("hint")
    _put(
        root,
        "sum",
        _challenge("TestSum", type="execute_python_code", files=["test.py"]),
        {"code.py": "def add(a, b):\n    return a + b\n"},
        {"test.py": "from code import add\nprint(add(1, 3))\n"},
    )
    out = root.parent / "cases.jsonl"
    done = ran("cases", "agbenchmark", root, "--out", out)
    out.with_suffix(".notes").write_text(done.err)
    return out


def _worked(cases: Path, *options: object) -> tuple[Done, dict[str, Any], Path]:
    out = folder() / "out"
    done = run("artifacts", "run", cases, "--out", out, *options)
    return done, {verdict.case_id: verdict for verdict in verdicts_of(out / "verdicts.jsonl")}, out


def _agent(code: str) -> str:
    return f'{sys.executable} -c "import sys, time; w = sys.argv[1] + chr(47); {code}" {{workspace}}'


@item(131, 132, 133, 134)
def the_seeds_own_example_loads() -> None:
    rows = [json.loads(line) for line in _cases().read_text().splitlines()]
    case = next(row for row in rows if row["id"] == "capital")
    same(
        (case["tags"]["name"], case["tags"]["difficulty"], case["tags"]["category"]),
        ("capital", "basic", "basic"),
    )
    same(case["messages"][0]["content"], "Write the capital of the USA into a .txt file")


@item(135, 136)
def dependencies_are_class_names_or_node_ids() -> None:
    for dependency in ('"TestWriteFile"', '"tests/interface/write_file_test.py::TestWriteFile::test_method"'):
        _, found, _ = _worked(_cases(dependency, "no"), "--mock", "--allow-code")
        same(found["capital"].error_type, "dependency_failed", dependency)


@item(137)
def unknown_dependencies_are_printed() -> None:
    cases = _cases('"TestNowhere"')
    note = "note: capital depends on 'TestNowhere', which is not one of these challenges"
    same(note in cases.with_suffix(".notes").read_text(), True)
    done, found, _ = _worked(cases, "--mock", "--allow-code")
    same(note in done.out and found["capital"].evidence["unknown_dependencies"] == ["TestNowhere"], True)


@item(138, 139, 142, 144, 147, 149, 150, 152)
def every_challenge_passes_with_its_own_solution() -> None:
    done, found, _ = _worked(_cases(), "--mock", "--allow-code")
    same((done.code, {each.score for each in found.values()}), (0, {1.0}), done.out)


@item(140, 141, 148, 155)
def an_agents_text_is_searched_without_leave_to_run_code() -> None:
    for text, score, error in (
        ("Washington", 1.0, None),
        ("washington", 0.0, "missing_word"),
        ("Washington Los Angeles", 0.0, "forbidden_word"),
    ):
        code = f"open(w + 'given.md').read(); open(w + 'o.txt', 'w').write('{text}')"
        _, found, _ = _worked(_cases(), "--test", "capital", "--agent", _agent(code))
        same((found["capital"].score, found["capital"].error_type), (score, error), text)


@item(143)
def four_types_of_evaluation() -> None:
    needs("pytest")
    root = folder() / "challenges"
    for kind in ("file", "python", "pytest", "llm"):
        scoring = {"scoring": "percentage", "template": "rubric"} if kind == "llm" else {}
        files = ["test.py"] if kind in {"python", "pytest"} else ["out.txt"]
        words = [] if kind in {"pytest", "llm"} else ["4"]
        tests = (
            {"test.py": "def test_four():\n    assert True\n\nprint(4)\n"}
            if kind in {"python", "pytest"}
            else {}
        )
        _put(
            root,
            kind,
            _challenge(f"Test{kind}", eval={"type": kind, **scoring}, files=files, should_contain=words),
            {"out.txt": "4"},
            tests,
        )
    ran("cases", "agbenchmark", root, "--out", root.parent / "c.jsonl")
    _, found, _ = _worked(root.parent / "c.jsonl", "--mock", "--allow-code")
    same(
        {name: each.outcome for name, each in found.items()},
        {"file": "graded", "python": "graded", "pytest": "graded", "llm": "undecided"},
    )


@item(145, status="better", page=ARTIFACTS)
def mock_functions_are_named() -> None:
    root = folder() / "challenges"
    data = json.loads(_challenge("TestMocked")) | {"mock": {"mock_func": "f", "mock_task": "t"}}
    _put(root, "mocked", json.dumps(data), {})
    ran("cases", "agbenchmark", root, "--out", root.parent / "c.jsonl")
    same("mocked: mock functions are not run" in _worked(root.parent / "c.jsonl", "--mock")[0].out, True)


@item(146, 153)
def the_report_has_the_originals_form() -> None:
    _, _, out = _worked(_cases(), "--mock", "--allow-code")
    report = json.loads((out / "report.json").read_text())
    test = report["tests"]["capital"]
    same(
        (test["description"], test["metrics"]["success_%"], test["metrics"]["difficulty"]),
        ("Writes a file", 100.0, "basic"),
    )


@item(151)
def one_test_is_selected() -> None:
    same(
        _worked(_cases(), "--test", "TestWriteFile", "--mock")[0].out.splitlines()[0],
        "1 of 1 challenge passed",
    )


@item(154)
def a_cutoff_ends_an_agent() -> None:
    _, _, out = _worked(
        _cases(), "--test", "TestWriteFile", "--agent", _agent("time.sleep(30)"), "--cutoff", "0.5"
    )
    same(json.loads((out / "report.json").read_text())["tests"]["TestWriteFile"]["reached_cutoff"], True)


@item(156)
def the_skill_tree_is_drawn() -> None:
    done, _, out = _worked(_cases(), "--mock", "--allow-code")
    page = (out / "skills.html").read_text(encoding="utf-8")
    same("capital: 1 of 1 passed; depends on TestWriteFile" in page and "pass rate" in done.out, True)
    same((ROOT / ARTIFACTS).exists(), True)
