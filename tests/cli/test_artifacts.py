from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command import fiducial, verdicts_in
from provider_server import Answer, ProviderServer

from fiducial.records import Output, Verdict, read_records, write_records


def make_challenge(root: Path, path: str, **changes: Any) -> Path:
    """Make a challenge whose answer is the word ``yes`` in a text file.

    ``solution`` and ``given`` are files.
    """
    folder = root / path
    folder.mkdir(parents=True)
    for part, key in (("artifacts_in", "given"), ("artifacts_out", "solution"), ("custom_python", "tests")):
        files = changes.pop(key, {"answer.txt": "yes"} if key == "solution" else {})
        if files:
            (folder / part).mkdir()
        for name, text in files.items():
            (folder / part / name).write_text(text)
    ground = {"answer": "yes", "should_contain": ["yes"], "files": [".txt"], "eval": {"type": "file"}}
    data = {
        "name": f"Test{folder.name.title()}",
        "category": ["general"],
        "task": "Answer.",
        "dependencies": [],
        "cutoff": 20,
        "ground": {**ground, **changes.pop("ground", {})},
        "info": {"difficulty": "basic"},
    }
    (folder / "data.json").write_text(json.dumps({**data, **changes}))
    return folder


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Three challenges: a file, a script with a hidden test, and one that depends on the first."""
    root = tmp_path / "challenges"
    make_challenge(root, "files/first", given={"hint.md": "Say yes."})
    make_challenge(
        root,
        "code/second",
        solution={"solution.py": "word = 'yes'"},
        tests={"test.py": "from solution import word\nprint(word)"},
        ground={"files": ["test.py"], "eval": {"type": "python"}},
    )
    make_challenge(root, "files/third", dependencies=["TestFirst"])
    assert fiducial("cases", "agbenchmark", root, "--out", tmp_path / "cases.jsonl").code == 0
    return tmp_path / "cases.jsonl"


def agent(code: str) -> str:
    """An agent that is a line of Python, with task and workspace in ``sys.argv``."""
    return f'{sys.executable} -SE -c "import sys, os, time; {code}" {{task}} {{workspace}}'


def verdicts(folder: Path) -> dict[str, Verdict]:
    return {verdict.case_id: verdict for verdict in verdicts_in(folder)}


def test_prepare_lays_out_workspaces_that_a_run_then_checks(cases: Path, tmp_path: Path):
    done = fiducial("artifacts", "prepare", cases, "--out", tmp_path / "work", "--system", "me")
    assert (done.code, done.out) == (0, f"3 workspaces, named in {tmp_path / 'work' / 'outputs.jsonl'}\n")
    workspace = tmp_path / "work" / "workspaces" / "files__first"
    assert (workspace / "hint.md").read_text() == "Say yes."
    for name in ("files__first", "files__third"):
        (tmp_path / "work" / "workspaces" / name / "out.txt").write_text("yes")
    checked = fiducial(
        "check", cases, "--outputs", tmp_path / "work" / "outputs.jsonl", "--out", tmp_path / "verdicts.jsonl"
    )
    assert checked.code == 0
    assert [(v.case_id, v.outcome, v.score) for v in verdicts_in(tmp_path)] == [
        ("code/second", "not_applicable", None),
        ("files/first", "graded", 1.0),
        ("files/third", "graded", 1.0),
    ]


def test_prepare_never_writes_over_a_workspace(cases: Path, tmp_path: Path):
    assert fiducial("artifacts", "prepare", cases, "--out", tmp_path / "work").code == 0
    again = fiducial("artifacts", "prepare", cases, "--out", tmp_path / "work")
    assert again.code == 2
    assert "the workspace is there already" in again.err


def test_every_challenge_passes_with_its_own_solution(cases: Path, tmp_path: Path):
    done = fiducial("artifacts", "run", cases, "--mock", "--out", tmp_path / "mock", "--allow-code")
    assert (done.code, done.out.splitlines()[0]) == (0, "3 of 3 challenges passed")


@pytest.mark.parametrize(
    "selection", [("--test", "TestFirst"), ("--only", "files/first"), ("--only", "name=TestFirst")]
)
def test_one_challenge_is_selected_by_name_id_or_tag(cases: Path, tmp_path: Path, selection: tuple[str, str]):
    done = fiducial("artifacts", "run", cases, "--mock", "--out", tmp_path / "mock", *selection)
    assert (done.code, done.out.splitlines()[0]) == (0, "1 of 1 challenge passed")


def test_a_mock_function_is_named_as_what_is_not_run(tmp_path: Path):
    make_challenge(
        tmp_path / "challenges", "mocked", solution={}, mock={"mock_func": "write", "mock_task": "Go."}
    )
    make_challenge(tmp_path / "challenges", "solved", mock_func="write")
    read = fiducial("cases", "agbenchmark", tmp_path / "challenges", "--out", tmp_path / "cases.jsonl")
    assert [line for line in read.err.splitlines() if "ignored" in line] == [
        "note: mocked: mock_func, mock_task: ignored; `fiducial artifacts run --mock` takes artifacts_out",
        "note: solved: mock_func: ignored; `fiducial artifacts run --mock` takes artifacts_out",
    ]
    done = fiducial("artifacts", "run", tmp_path / "cases.jsonl", "--mock", "--out", tmp_path / "mock")
    note = "note: mocked: mock functions are not run (mock_func, mock_task); put the right files into its artifacts_out"
    assert [line for line in done.out.splitlines() if "mock functions" in line] == [note]


def test_challenges_name_what_they_need_to_run_code(cases: Path, tmp_path: Path):
    make_challenge(
        tmp_path / "challenges",
        "code/fourth",
        solution={"solution.py": "word = 'yes'"},
        tests={"test.py": "import no_such_library\nfrom solution import word\nprint(word)"},
        ground={"files": ["test.py"], "eval": {"type": "python"}},
    )
    read = fiducial("cases", "agbenchmark", tmp_path / "challenges", "--out", tmp_path / "more.jsonl")
    assert read.err.splitlines() == [
        "note: 2 challenges run code: `fiducial artifacts run` and `fiducial run` need --allow-code",
        "note: code/fourth: its hidden tests import no_such_library, not installed here",
    ]
    some = fiducial("cases", "agbenchmark", tmp_path / "challenges", "--only", "files/first", "--out", cases)
    assert some.err == ""
    done = fiducial("artifacts", "run", tmp_path / "more.jsonl", "--mock", "--out", tmp_path / "mock")
    assert "note: 2 challenges run code, which is not allowed: add --allow-code" in done.out.splitlines()


def test_an_agent_of_generate_that_leaves_no_workspace_is_not_graded_on_challenges(
    cases: Path, tmp_path: Path
):
    out = tmp_path / "outputs.jsonl"
    done = fiducial("generate", cases, "--agent", "echo yes", "--out", out)
    assert (
        "no output, the case is not for this agent: 3 x the answer to a challenge is a workspace" in done.out
    )
    assert out.read_text() == ""


def test_an_agent_on_challenges_of_text_needs_no_leave_to_run_code(cases: Path, tmp_path: Path):
    command = agent("open(sys.argv[2] + '/out.txt', 'w').write('yes')")
    done = fiducial(
        "artifacts", "run", cases, "--agent", command, "--test", "TestFirst", "--out", tmp_path / "work"
    )
    assert (done.code, done.out.splitlines()[0]) == (0, "1 of 1 challenge passed")
    refused = fiducial("artifacts", "run", cases, "--agent", command, "--out", tmp_path / "all")
    assert refused.code == 2
    assert "case 'code/second' runs the code that the agent leaves behind: add --allow-code" in refused.err


@pytest.mark.parametrize(("kind", "rules"), [("python", "strict"), ("pytest", "strict"), ("python", "bfcl")])
def test_a_solution_may_be_called_as_a_module_of_the_standard_library(tmp_path: Path, kind: str, rules: str):
    make_challenge(
        tmp_path / "challenges",
        "named",
        solution={"code.py": "def word():\n    return 'yes'\n"},
        tests={
            "test.py": "import pdb\nfrom code import word\n\ndef test_word():\n    assert word() == 'yes'\n\nprint(word())\n"
        },
        ground={
            "files": ["test.py"],
            "eval": {"type": kind},
            "should_contain": ["yes"] if kind == "python" else [],
        },
    )
    fiducial("cases", "agbenchmark", tmp_path / "challenges", "--out", tmp_path / "cases.jsonl")
    options = ("--mock", "--allow-code", "--rules", rules, "--out", tmp_path / "mock")
    done = fiducial("artifacts", "run", tmp_path / "cases.jsonl", *options)
    assert done.out.splitlines()[0] == "1 of 1 challenge passed"


def test_a_mock_that_fails_is_a_gate_that_fails(tmp_path: Path):
    make_challenge(tmp_path / "challenges", "wrong", solution={"answer.txt": "no"})
    fiducial("cases", "agbenchmark", tmp_path / "challenges", "--out", tmp_path / "cases.jsonl")
    done = fiducial("artifacts", "run", tmp_path / "cases.jsonl", "--mock", "--out", tmp_path / "mock")
    assert done.code == 1
    assert "failed: wrong: missing_word: answer.txt does not contain 'yes'" in done.out


def test_a_mock_holds_back_what_depends_on_a_failure_and_names_unknown_dependencies(tmp_path: Path):
    root = tmp_path / "challenges"
    make_challenge(root, "first", solution={"answer.txt": "no"})
    make_challenge(root, "second", dependencies=["tests/first_test.py::TestFirst::test_method"])
    make_challenge(root, "third", dependencies=["TestNowhere"])
    made = fiducial("cases", "agbenchmark", root, "--out", tmp_path / "cases.jsonl")
    assert made.err == "note: third depends on 'TestNowhere', which is not one of these challenges\n"
    done = fiducial("artifacts", "run", tmp_path / "cases.jsonl", "--mock", "--out", tmp_path / "mock")
    outputs = tmp_path / "mock" / "outputs.jsonl"
    note = "note: third depends on 'TestNowhere', which no output here answers for"
    checked = fiducial("check", tmp_path / "cases.jsonl", "--outputs", outputs, "--out", tmp_path / "v.jsonl")
    assert note in checked.out
    assert (done.code, done.out.splitlines()[0]) == (1, "1 of 3 challenges passed")
    assert "not applicable: second: depends on TestFirst, which did not pass" in done.out
    assert "note: third depends on 'TestNowhere', which is not one of these challenges" in done.out


def test_a_dependency_is_noted_once_however_many_trials_there_are(tmp_path: Path):
    make_challenge(tmp_path / "challenges", "third", dependencies=["TestNowhere"])
    fiducial("cases", "agbenchmark", tmp_path / "challenges", "--out", tmp_path / "cases.jsonl")
    done = fiducial(
        "artifacts",
        "run",
        tmp_path / "cases.jsonl",
        "--agent",
        "true",
        "--trials",
        "3",
        "--out",
        tmp_path / "out",
    )
    assert done.out.count("depends on 'TestNowhere'") == 1


def test_pass_rates_by_category_are_printed_and_drawn_with_the_dependencies(cases: Path, tmp_path: Path):
    done = fiducial("artifacts", "run", cases, "--mock", "--out", tmp_path / "mock", "--allow-code")
    assert "  general        3  3      1.00" in done.out
    page = (tmp_path / "mock" / "skills.html").read_text()
    assert "Skill tree" in page
    assert "TestThird: 1 of 1 passed; depends on TestFirst" in page


def test_an_agent_gets_task_and_workspace_and_is_checked(cases: Path, tmp_path: Path):
    command = agent("open(sys.argv[2] + '/out.txt', 'w').write('yes ' + sys.argv[1]); print('done')")
    done = fiducial("artifacts", "run", cases, "--agent", command, "--out", tmp_path / "work", "--allow-code")
    assert (done.code, done.out.splitlines()[0]) == (0, "2 of 3 challenges passed")
    assert (tmp_path / "work" / "workspaces" / "files__first" / "out.txt").read_text() == "yes Answer."
    assert "done" in (tmp_path / "work" / "logs" / "files__first.txt").read_text()
    second = verdicts(tmp_path / "work")["code/second"]
    assert (second.score, second.error_type) == (0.0, "script_failed")
    report = json.loads((tmp_path / "work" / "report.json").read_text())
    assert report["metrics"]["highest_difficulty"] == "basic: 2"
    assert report["tests"]["TestFirst"]["metrics"]["success"] is True
    assert report["tests"]["TestSecond"]["metrics"]["run_time"].endswith(" seconds")


def test_each_trial_has_its_own_workspace_and_counts_by_challenge(cases: Path, tmp_path: Path):
    code = "open(sys.argv[2] + '/out.txt', 'w').write('yes' if os.environ['FIDUCIAL_TRIAL'] == '1' else 'no')"
    work = tmp_path / "work"
    options = ("--only", "files/first", "--trials", "3", "--out", work)
    done = fiducial("artifacts", "run", cases, "--agent", agent(code), *options)
    assert done.code == 0, done.err
    assert "1 of 3 trials of 1 challenge passed" in done.out
    assert "failed: files/first, trial 2: missing_word" in done.out
    outputs = list(read_records(work / "outputs.jsonl", Output))
    assert [(output.trial, output.workspace) for output in outputs] == [
        (0, "workspaces/files__first"),
        (1, "workspaces/files__first~1"),
        (2, "workspaces/files__first~2"),
    ]
    report = json.loads((work / "report.json").read_text())["tests"]["TestFirst"]["metrics"]
    assert (report["success"], round(report["success_%"])) == (False, 33)
    assert fiducial("run", cases, "--outputs", work / "outputs.jsonl", "--out", tmp_path / "run").code == 0
    assert "1.000" in fiducial("trials", tmp_path / "run", "--k", "3").out


def test_an_agent_that_ends_with_an_error_is_told(cases: Path, tmp_path: Path):
    options = ("--only", "files/first", "--out", tmp_path / "work")
    done = fiducial("artifacts", "run", cases, "--agent", agent("sys.exit(3)"), *options)
    assert "the agent ended with exit code 3 in 1 of 1 attempts; logs/ has its output" in done.out


def test_a_script_that_is_not_in_the_workspace_is_refused_with_its_whole_path(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("agent.py").touch()
    command = f"{sys.executable} agent.py {{task}}"
    done = fiducial("artifacts", "run", cases, "--agent", command, "--allow-code", "--out", tmp_path / "work")
    assert (done.code, str(tmp_path / "agent.py") in done.err) == (2, True)


def test_an_agent_that_is_not_told_its_workspace_starts_there(cases: Path, tmp_path: Path):
    command = ("--agent", "sh -c 'echo yes > out.txt'", "--only", "files/first")
    fiducial("artifacts", "run", cases, *command, "--out", tmp_path / "work")
    assert verdicts(tmp_path / "work")["files/first"].score == 1.0


def test_an_agent_that_is_told_its_workspace_starts_where_the_user_is(cases: Path, tmp_path: Path):
    (tmp_path / "agent.sh").write_text('echo "yes" > "$2/out.txt"\n')
    command = ("--agent", "sh agent.sh {task} {workspace}", "--only", "files/first")
    fiducial("artifacts", "run", cases, *command, "--out", tmp_path / "work")
    assert verdicts(tmp_path / "work")["files/first"].score == 1.0


def test_a_challenge_whose_dependency_failed_is_not_counted_as_failed(cases: Path, tmp_path: Path):
    command = agent("'first' in sys.argv[2] or open(sys.argv[2] + '/out.txt', 'w').write('yes')")
    only = ("--only", "files/first", "--only", "files/third")
    done = fiducial("artifacts", "run", cases, "--agent", command, *only, "--out", tmp_path / "work")
    assert "not applicable: files/third: depends on TestFirst, which did not pass" in done.out
    report = json.loads((tmp_path / "work" / "report.json").read_text())
    assert report["tests"]["TestThird"]["metrics"]["attempted"] is False


def test_an_agent_that_takes_too_long_is_stopped_at_its_cutoff(cases: Path, tmp_path: Path):
    command = agent("open(sys.argv[2] + '/out.txt', 'w').write('yes'); time.sleep(60)")
    options = ("--out", tmp_path / "work", "--only", "files/first", "--cutoff", "0.5")
    assert fiducial("artifacts", "run", cases, "--agent", command, *options).code == 0
    report = json.loads((tmp_path / "work" / "report.json").read_text())
    assert report["tests"]["TestFirst"]["reached_cutoff"] is True
    assert verdicts(tmp_path / "work")["files/first"].score == 1.0


def test_an_agent_that_writes_its_own_exam_does_not_pass(cases: Path, tmp_path: Path):
    command = agent("open(sys.argv[2] + '/test.py', 'w').write('print(chr(121) + chr(101) + chr(115))')")
    fiducial("artifacts", "run", cases, "--agent", command, "--out", tmp_path / "work", "--allow-code")
    assert verdicts(tmp_path / "work")["code/second"].score == 0.0


def test_a_run_that_was_interrupted_goes_on_where_it_stopped(cases: Path, tmp_path: Path):
    out = tmp_path / "work"
    command = agent("open(sys.argv[2] + '/out.txt', 'a').write('yes')")
    fiducial("artifacts", "run", cases, "--agent", command, "--out", out, "--allow-code")
    lines = (out / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    (out / "outputs.jsonl").write_bytes(lines[0] + lines[1] + lines[2][:10])
    again = fiducial("artifacts", "run", cases, "--agent", command, "--out", out, "--allow-code")
    assert again.code == 0
    assert len(list(read_records(out / "outputs.jsonl", Output))) == 3
    assert (out / "workspaces" / "files__third" / "out.txt").read_text() == "yes"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agent", "true"), "add --allow-code"),
        (("--allow-code",), "either --agent COMMAND or --mock"),
        (("--allow-code", "--mock", "--agent", "true"), "either --agent COMMAND or --mock"),
        (("--allow-code", "--agent", "no-such-agent {task}"), "no such command: 'no-such-agent'"),
        (("--allow-code", "--agent", "'"), "No closing quotation"),
        (("--allow-code", "--mock", "--trials", "2"), "--mock runs no agent"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_done(
    cases: Path, tmp_path: Path, options: tuple[str, ...], message: str
):
    done = fiducial("artifacts", "run", cases, *options, "--out", tmp_path / "work")
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "work").exists()


def test_the_doctor_says_how_far_this_machine_shuts_code_in():
    done = fiducial("artifacts", "doctor")
    assert done.code == 0
    names = [line.partition(":")[0] for line in done.out.splitlines()]
    assert names[:6] == ["files", "network", "processes", "calls", "memory", "limits"]
    assert set(names[6:]) <= {"not bounded"}


def test_ids_and_workspaces_that_leave_their_folder_are_refused(cases: Path, tmp_path: Path):
    line = json.loads(cases.read_text().splitlines()[0])
    (tmp_path / "evil.jsonl").write_text(json.dumps({**line, "id": "../../evil"}))
    done = fiducial("artifacts", "prepare", tmp_path / "evil.jsonl", "--out", tmp_path / "work")
    assert (done.code, "must be a relative path" in done.err) == (2, True)
    for workspace in ("/etc", "../..", "a/../../b"):
        outputs = tmp_path / "outputs.jsonl"
        write_records(outputs, [Output(case_id="files/first", system="s", workspace=workspace)])
        done = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl")
        assert done.code == 2
        assert f"{outputs}:1: workspace: expected a path inside the folder" in done.err


def test_a_run_checks_workspaces_and_asks_a_judge_about_open_answers(tmp_path: Path, server: ProviderServer):
    root = tmp_path / "challenges"
    make_challenge(root, "closed")
    plan = {
        "eval": {"type": "llm", "scoring": "percentage", "template": "rubric"},
        "answer": "Names three steps.",
    }
    make_challenge(root, "open", ground=plan)
    fiducial("cases", "agbenchmark", root, "--out", tmp_path / "cases.jsonl")
    fiducial("artifacts", "prepare", tmp_path / "cases.jsonl", "--out", tmp_path / "work")
    for name in ("closed", "open"):
        (tmp_path / "work" / "workspaces" / name / "answer.txt").write_text("yes, my plan")
    server.script = lambda seen: Answer(json.dumps({"reason": "one step", "score": 1}))
    judge = ("--judge", "rubric/percentage", "--model", "judge", "--base-url", server.base_url)
    key = ("--api-key-env", "HOME")
    done = fiducial(
        "run",
        "-v",
        tmp_path / "cases.jsonl",
        *judge,
        *key,
        outputs=tmp_path / "work" / "outputs.jsonl",
        out=tmp_path / "run",
    )
    assert done.code == 0, done.err
    found = {(v.case_id, v.source): v for v in verdicts_in(tmp_path / "run")}
    assert found["closed", "checker"].score == 1.0
    assert found["open", "checker"].outcome == "undecided"
    assert found["open", "judge"].score == pytest.approx(0.01)
    assert found["closed", "judge"].graded
    texts = [seen.text for seen in server.seen]
    assert any("Names three steps." in text and "yes, my plan" in text for text in texts)
