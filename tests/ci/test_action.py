"""Steps of the GitHub Action, run in order with a `gh` that records its calls."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from played_action import ROOT, TOKEN, Ended, Sandbox, action, loaded

CASES = [
    {
        "id": f"trip-{number}",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": "Book a night in Rome."}],
        "tools": [
            {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        ],
        "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
    }
    for number in range(8)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with eight cases, of which the agent got seven right."""
    lines = [json.dumps(case) for case in CASES]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    outputs = [
        {"case_id": c["id"], "system": "bot", "tool_calls": [{"name": "book", "arguments": {"city": city}}]}
        for c, city in zip(CASES, ["Milan"] + ["Rome"] * 7, strict=True)
    ]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, outputs)))
    return tmp_path


RUN = "cases.jsonl --outputs outputs.jsonl"


def codes(ended: Ended) -> dict[str, int]:
    return {name: step.returncode for name, step in ended.items()}


def earlier(folder: Path) -> str:
    """Run the outputs as the main branch has them."""
    files = (folder / "cases.jsonl", "--outputs", folder / "outputs.jsonl")
    assert fiducial("run", *files, "--out", folder / "before").code == 0
    return str(folder / "before")


def answers(folder: Path, was: str, now: str) -> None:
    text = (folder / "outputs.jsonl").read_text()
    (folder / "outputs.jsonl").write_text(text.replace(was, now))


def test_a_run_is_summarized_stored_and_gated_by_itself(folder: Path):
    sandbox = Sandbox(folder)
    ended = sandbox.play(run=f"{RUN} --fail-under pass_rate=0.9")
    assert codes(ended) == {
        "Inputs": 0, "Run": 0, "Summarize": 0, "Store the run": 0, "Store the summary": 0, "Gate": 1,
    }  # fmt: skip
    assert "max ungraded 0.05" in sandbox.summary
    assert "0.88" in sandbox.summary
    assert (sandbox.artifacts / "fiducial-run-summary/fiducial.md").read_text() == sandbox.summary
    assert (sandbox.artifacts / "fiducial-run/run.json").exists()
    assert (sandbox.calls, sandbox.outputs) == ([], {"status": "1"})
    assert [name for name, environment in sandbox.seen if TOKEN in environment.values()] == []


def test_bad_input_is_not_stored_and_fails_with_its_line(folder: Path):
    ended = Sandbox(folder).play(run="cases.jsonl --outputs nothing.jsonl")
    assert codes(ended) == {"Inputs": 0, "Run": 0, "Gate": 2}
    assert "nothing.jsonl" in ended["Run"].stderr


def test_an_earlier_run_is_reported_and_gated_against(folder: Path):
    before = earlier(folder)
    answers(folder, "Milan", "Rome")
    sandbox = Sandbox(folder)
    assert sandbox.play(run=RUN, before=before)["Gate"].returncode == 0
    assert "1 fix" in sandbox.summary
    answers(folder, "Rome", "Milan")
    worse = Sandbox(folder)
    assert worse.play(run=RUN, before=before, out="worse")["Gate"].returncode == 1
    assert "Fails: " in worse.summary
    strict = "--max-drop 0.5; touch evaluated"
    refused = worse.play(run=RUN, out="again", before=before, gate=strict)
    assert (refused["Gate"].returncode, (folder / "evaluated").exists()) == (2, False)


def test_outputs_that_are_missing_fail_without_any_option(folder: Path):
    lines = (folder / "outputs.jsonl").read_text().splitlines()
    (folder / "outputs.jsonl").write_text("\n".join(lines[:6]))
    assert Sandbox(folder).play(run=RUN)["Gate"].returncode == 1


def test_limits_on_a_drop_wait_for_an_earlier_run(folder: Path):
    sandbox = Sandbox(folder)
    assert (
        sandbox.play(run=RUN, gate="--max-drop=0.02 --max-drop 0.01 --cannot-tell pass")["Gate"].returncode
        == 0
    )
    assert "min overall=0" in sandbox.summary


def test_arguments_are_split_and_not_evaluated(folder: Path):
    ended = Sandbox(folder).play(run="'cases.jsonl' --outputs '$(touch evaluated)'; touch evaluated")
    assert ended["Gate"].returncode == 2
    assert not (folder / "evaluated").exists()


def test_no_expression_stands_within_a_script():
    assert [step["name"] for step in action()["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_no_program_of_the_checkout_is_imported(folder: Path):
    for name in ("shlex.py", "os.py", "pip/__init__.py", "pip/__main__.py", "sitecustomize.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("open('imported', 'a').write(__name__)\n")
    described, sandbox = action(), Sandbox(folder)
    [install] = [step for step in described["runs"]["steps"] if step["name"] == "Install"]
    renamed = {"inputs": described["inputs"], "runs": {"steps": [install | {"name": "install"}]}}
    assert list(sandbox.play(renamed, install="--version")) == ["install"]  # fails where pip is not installed
    ended = sandbox.play(run=f"{RUN} --fail-under pass_rate=0.2")
    assert set(codes(ended).values()) == {0}
    assert not (folder / "imported").exists()


def test_no_step_has_a_token_from_the_run_on():
    described = action()
    names = [step["name"] for step in described["runs"]["steps"]]
    later = described["runs"]["steps"][names.index("Run") :]
    assert [
        step["name"] for step in later if "oken" in str(step.get("env", "")) + str(step.get("with", ""))
    ] == []


def test_a_comment_needs_a_job_of_its_own(folder: Path):
    ended = Sandbox(folder).play(run=RUN, comment="true")
    assert codes(ended) == {"Inputs": 2}
    assert codes(Sandbox(folder).play()) == {"Inputs": 2}
    assert codes(Sandbox(folder, "pull_request_target").play(run=RUN)) == {"Inputs": 2}


def test_a_checkout_that_keeps_a_token_is_refused_for_pull_requests(folder: Path):
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    extra = [
        "git",
        "-C",
        str(folder),
        "config",
        "http.https://github.com/.extraheader",
        "AUTHORIZATION: basic eA==",
    ]
    subprocess.run(extra, check=True)
    ended = Sandbox(folder).play(run=RUN)
    assert codes(ended) == {"Inputs": 0, "Run": 0, "Gate": 2}
    assert "persist-credentials: false" in ended["Run"].stderr
    assert "eA==" not in ended["Run"].stderr


@pytest.mark.parametrize("kind", ["folder", "file", "link", "dangling link"])
def test_a_run_folder_that_exists_is_refused(folder: Path, kind: str):
    out = folder / "theirs"
    if kind == "folder":
        out.mkdir()
    elif kind == "file":
        out.touch()
    else:
        out.symlink_to(folder if kind == "link" else folder / "nowhere")
    ended = Sandbox(folder).play(run=RUN, out=str(out))
    assert codes(ended) == {"Inputs": 0, "Run": 0, "Gate": 2}
    assert str(out) in ended["Run"].stderr


def test_the_run_folder_is_outside_of_the_checkout_by_default():
    assert action()["inputs"]["out"]["default"].startswith("${{ runner.temp }}/")


AGENT = """
import json, os, sys

assert not {"GH_TOKEN", "GITHUB_TOKEN", "GITHUB_ENV", "GITHUB_PATH"} & os.environ.keys()
number = int(json.load(sys.stdin)["id"].partition("-")[2])
city = "Rome" if number < RIGHT else "Milan"
print(json.dumps({"tool_calls": [{"name": "book", "arguments": {"city": city}}]}))
"""


def jobs_of(workflow: dict[str, Any], sandbox: Sandbox) -> dict[str, Ended]:
    """Play the jobs of a workflow; the action is the checkout's own."""
    played: dict[str, Ended] = {}
    for name, job in workflow["jobs"].items():
        if not sandbox.holds(job.get("if", ""), {"github.event_name": sandbox.event}):
            continue
        for step in job["steps"]:
            if step["uses"].startswith("OWNER/fiducial@"):
                played[name] = sandbox.play(**step["with"])
            else:
                assert step["uses"] in {"actions/checkout@v4", "actions/setup-python@v5"}
    return played


@pytest.mark.slow
def test_the_example_of_the_page_works_step_by_step(folder: Path):
    page = (ROOT / "docs/testing.md").read_text("utf-8")
    [text] = [
        found_text
        for found_text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        if "jobs:" in found_text
    ]
    workflow = loaded(text)
    runs, comments = workflow["jobs"].values()
    assert runs["steps"][0]["with"] == {"persist-credentials": False}
    assert "write" not in runs["permissions"].values()
    assert not any("checkout" in step["uses"] or "run" in step["with"] for step in comments["steps"])

    (folder / "agent.py").write_text(AGENT.replace("RIGHT", "8"))
    first = Sandbox(folder, "pull_request")
    played = jobs_of(workflow, first)
    assert (list(played), played["agent"]["Gate"].returncode) == (["agent", "comment"], 0)
    assert first.comment.startswith("No baseline: ")

    main = folder / "main"
    shutil.rmtree(folder / "temp")
    pushed = Sandbox(folder, "push")
    assert list(jobs_of(workflow, pushed)) == ["agent"]
    assert pushed.calls == []
    shutil.copytree(pushed.artifacts, main)

    shutil.rmtree(folder / "temp")
    (folder / "agent.py").write_text(AGENT.replace("RIGHT", "0"))
    worse = Sandbox(folder, "pull_request", main)
    played = jobs_of(workflow, worse)
    assert played["agent"]["Gate"].returncode == 1
    assert "--event push" in " ".join(worse.calls)
    assert worse.comment.startswith("Fails: ")
    assert "8 regressions" in worse.comment
