"""Every command that is proposed as the next one works, and changes something."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from command import Result, fiducial
from provider_server import Answer, ProviderServer, Status, in_the_form_asked_for

from fiducial.records import Case, Output, write_records

pytestmark = pytest.mark.usefixtures("few_draws")

RUN = ["run", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "my run"]
MODEL = ["--model", "m"]
MODEL_NAMED = ["--model", "gpt-4.1-mini"]


def proposed(result: Result) -> list[list[str]]:
    """The commands that stand, indented or behind `next:`, in what was printed."""
    found = re.findall(r"^(?:[Nn]ext: |\s+)(fiducial .*?)(?:   \(.*\))?$", result.out, re.MULTILINE)
    return [shlex.split(command)[1:] for command in found]


def typed(words: list[str]) -> Result:
    return fiducial(*words)


def files() -> dict[str, bytes]:
    """Return the content of the working folder; read-only commands leave it unchanged."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def open_cases(count: int = 8) -> None:
    """Answers that no checker decides, by two systems."""
    message = {"role": "user", "content": "Why is the sky blue?"}
    write_records(
        "cases.jsonl",
        [
            Case(
                id=f"c{number}",
                kind="open_answer",
                messages=[message],
                reference={"criterion": "It explains."},
            )
            for number in range(count)
        ],
    )
    write_records(
        "outputs.jsonl",
        [
            Output(case_id=f"c{number}", system=system, text=f"Because of {number} of {system}.")
            for number in range(count)
            for system in ("a", "b")
        ],
    )


def calls(right: int, count: int = 8, systems: tuple[str, ...] = ("a",)) -> None:
    """Calls that checkers decide, of which so many are right."""
    tool: dict[str, Any] = {
        "type": "function",
        "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
    }
    write_records(
        "cases.jsonl",
        [
            Case(
                id=f"c{number}",
                kind="tool_call",
                messages=[{"role": "user", "content": f"Call {number}."}],
                tools=[tool],
                reference={"calls": [{"name": "f", "arguments": {}}]},
            )
            for number in range(count)
        ],
    )
    write_records(
        "outputs.jsonl",
        [
            Output(case_id=f"c{number}", system=system, text="[f()]" if number < right else "[g()]")
            for number in range(count)
            for system in systems
        ],
    )


def test_a_run_without_a_judge_is_told_one_that_grades_its_cases(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    open_cases()
    first = typed(RUN)
    (command,) = proposed(first)
    assert "needs OPENAI_API_KEY" in " ".join(first.out.split())
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    second = typed(command)
    assert second.code == 0
    assert len(server.seen) == 16
    assert proposed(second) == [["review", "my run"]]


def test_a_run_without_a_key_goes_on_by_the_same_command(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    open_cases()
    first = typed([*RUN, "--judge", "rubric", *MODEL])
    (command,) = proposed(first)
    assert first.code == 2
    assert "Reach a model for the 16 undecided outputs" in " ".join(first.out.split())
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert typed(command).code == 0
    assert len(server.seen) == 16


@pytest.fixture
def reached(server: ProviderServer) -> list[str]:
    """Options by which a judge reaches a model."""
    return [*MODEL, "--base-url", server.base_url, "--no-cache"]


def test_a_judge_of_another_kind_is_added_to_the_one_that_was_named(reached: list[str]):
    open_cases()
    first = typed([*RUN, "--judge", "tool_call_accuracy", *reached])
    (command,) = proposed(first)
    assert command[-2:] == ["--judge", "rubric"]
    assert typed(command).code == 0


def test_failed_calls_are_made_by_the_same_command(reached: list[str], server: ProviderServer):
    open_cases()
    server.script = lambda seen: Status(400)
    first = typed([*RUN, "--judge", "rubric", *reached])
    (command,) = proposed(first)
    server.script = in_the_form_asked_for()
    assert (first.code, typed(command).code) == (3, 0)


def test_a_recording_that_lacks_replies_is_not_replayed_again(reached: list[str]):
    open_cases()
    Path("recorded.jsonl").write_text("")
    first = typed([*RUN, "--judge", "rubric", *MODEL, "--replay", "recorded.jsonl"])
    assert first.code == 3
    assert proposed(first) == []
    assert "has no reply for them; ask a model" in " ".join(first.out.split())


@pytest.mark.parametrize("command", ["run", "judge"])
def test_a_run_without_labels_leads_to_a_page_and_its_labels_into_the_run(command: str, reached: list[str]):
    open_cases()
    (review,) = proposed(typed([command, *RUN[1:], "--judge", "rubric", *reached]))
    before = files()
    page = typed(review)
    assert page.code == 0
    assert files() != before
    write_labels(Path("labels-NAME.jsonl"))
    for step in proposed(page):
        assert typed(step).code == 0, step
    corrected = typed([command, *RUN[1:], "--judge", "rubric", *reached])
    assert ["review", "my run"] not in proposed(corrected)


def write_labels(path: Path) -> None:
    """Write the labels as the page would download them."""
    rows = [json.loads(line) for line in Path("outputs.jsonl").read_text().splitlines()]
    labels = (
        {
            **{name: row[name] for name in ("case_id", "system")},
            "by": "me",
            "source": "human",
            "outcome": "graded",
            "score": float(number % 3 > 0),
        }
        for number, row in enumerate(rows)
    )
    path.write_text("".join(f"{json.dumps(label)}\n" for label in labels))


@pytest.mark.parametrize("right", [1, 5, 9])
def test_one_system_whose_interval_is_wide_is_told_how_many_cases_it_takes(right: int):
    calls(right, count=10)
    told = typed(RUN)
    assert proposed(told) == []
    assert "Next: The interval is wide; add cases. About " in told.out


def test_two_systems_alike_are_told_how_many_cases_it_takes():
    calls(5, count=10, systems=("a", "b"))
    (plan,) = proposed(typed(RUN))
    assert plan[0] == "plan"
    assert typed(plan).code == 0


def test_where_everything_is_graded_the_failures_are_counted_and_nothing_is_typed():
    calls(190, count=200)
    told = typed(RUN)
    assert proposed(told) == []
    assert "Next: Everything is graded. Review the 10 failures in the report." in told.out
    calls(200, count=200)
    assert "Next: Everything is graded. All 200 passed." in typed([*RUN[:-1], "run2"]).out


def test_an_agent_that_failed_is_not_run_again_in_vain():
    calls(0)
    Path("agent.sh").write_text("exit 3\n")
    told = typed(["run", "cases.jsonl", "--agent", "sh agent.sh", "--out", "run"])
    assert (told.code, proposed(told)) == (3, [])
    assert "fix it and rerun, or grade such failures 0 with --keep-crashes" in told.err


def test_an_imported_log_leads_to_its_rate(server: ProviderServer, monkeypatch: pytest.MonkeyPatch):
    rows = [
        {
            "messages": [
                {"role": "user", "content": f"Question {number}"},
                {"role": "assistant", "content": f"Answer {number}"},
            ]
        }
        for number in range(6)
    ]
    Path("log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    told = typed(["import", "log.jsonl", "--out", "my log"])
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    follow(told)
    assert server.seen


def test_a_run_proposes_the_judges_that_its_import_proposes():
    (told,) = proposed(typed(["import", str(LOGS / "thanks.jsonl"), "--out", "log"]))
    (again,) = proposed(typed([word for word in told if word not in judged_by(told)]))
    assert judged_by(again) == judged_by(told) == ["--judge", "rubric", "task_completion", *MODEL_NAMED]


LOGS = Path(__file__).parent.parent / "examples" / "real_logs"


def test_references_that_arrive_later_lead_to_another_rate_in_one_command():
    typed(["import", str(LOGS / "thanks.jsonl"), "--out", "my log"])
    run = ["run", "my log/cases.jsonl", "--outputs", "my log/outputs.jsonl", "--out", "my log/run"]
    assert "nothing is graded yet" in typed(run).out
    (again,) = proposed(typed(["labels", "add", "my log", str(LOGS / "thanks_expected.csv")]))
    assert "0.50 [0.15, 0.85] of 4 outputs pass" in typed(again).out


def test_references_of_a_run_grade_its_outputs_again_in_another_folder():
    typed(["import", str(LOGS / "thanks.jsonl"), "--out", "log"])
    run = ["run", "log/cases.jsonl", "--outputs", "log/outputs.jsonl", "--out", "my run"]
    judges = ["--judge", "rubric", "--model", "baseline"]
    assert typed([*run, *judges]).code == 0
    (again,) = proposed(typed(["labels", "add", "my run", str(LOGS / "thanks_expected.csv")]))
    assert again == ["run", "my run-2.cases.jsonl", "--outputs", "log/outputs.jsonl", *judges, "--out", "my run-2"]  # fmt: skip
    assert "0.50 [0.15, 0.85] of 4 outputs pass" in typed(again).out
    assert Path("my run").is_dir()


def test_references_of_a_run_of_an_agent_grade_what_it_made():
    calls(0, count=2)
    Path("agent.sh").write_text("echo '[g()]'\n")
    assert typed(["run", "cases.jsonl", "--agent", "sh agent.sh", "--out", "run"]).code == 0
    rows: list[dict[str, Any]] = [{"id": "c0", "expected_calls": [{"name": "g", "arguments": {}}]}]
    Path("expected.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (again,) = proposed(typed(["labels", "add", "run", "expected.jsonl"]))
    assert again == ["run", "run-2.cases.jsonl", "--outputs", "run/outputs.jsonl", "--out", "run-2"]
    assert "0.50" in typed(again).out


def test_labels_of_an_import_without_a_judge_lead_to_one():
    Path("asked.csv").write_text("id,question,answer,rating\n1,Why?,So.,up\n2,How?,Thus.,down\n")
    typed(["import", "asked.csv", "--out", "log"])
    Path("grades.csv").write_text("id,grade\n1,good\n2,bad\n")
    (again,) = proposed(typed(["labels", "add", "log", "grades.csv"]))
    assert again[0] == "run"
    assert typed([*again, "--dry-run"]).code == 0


@pytest.mark.parametrize(
    ("judges", "next_words"), [([], []), (["--judge", "rubric"], ["estimate", "my run"])]
)
def test_labels_of_a_run_lead_to_its_corrected_rate_where_a_judge_graded(
    judges: list[str], next_words: list[str]
):
    open_cases()
    typed([*RUN, *judges, *(["--model", "baseline"] if judges else [])])
    Path("grades.csv").write_text("id,system,grade\nc0,a,good\nc1,a,bad\n")
    commands = proposed(typed(["labels", "add", "my run", "grades.csv"]))
    assert commands == ([next_words] if judges else [])
    assert all(typed(command).code == 0 for command in commands)


def judged_by(command: list[str]) -> list[str]:
    """The judges of a command, and their model."""
    start = command.index("--judge")
    return command[start : command.index("--model") + 2]


def follow(told: Result, depth: int = 3) -> None:
    """Type every command that is proposed, and those that they propose."""
    for step in proposed(told):
        before = files()
        if "--add" in step or "--labels" in step:
            continue  # wants a file of a person's
        found = typed(step)
        assert found.code == 0, (step, found.err, found.out)
        assert found.out or files() != before
        if depth:
            follow(found, depth - 1)


def table(path: str, rows: list[dict[str, object]]) -> None:
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def test_a_table_with_scores_leads_to_how_far_its_judge_agrees(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    table(
        "graded.csv",
        [
            {
                "id": f"r{number}",
                "question": f"What is {number}?",
                "contexts": f"{number} is a number.",
                "answer": f"A number: {number}.",
                "score": number % 2,
            }
            for number in range(12)
        ],
    )
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    told = typed(["import", "graded.csv", "--out", "my table"])
    assert proposed(told)
    follow(told)


def test_two_runs_and_an_audit_propose_what_can_be_typed(reached: list[str]):
    calls(6)
    for name, options in (("one", []), ("two", ["--judge", "tool_call_accuracy", *reached])):
        assert typed([*RUN[:-1], name, *options]).code == 0
    follow(typed(["report", "one", "two", "--html", "both.html"]), depth=1)
    assert typed(["audit", "mutate", "cases.jsonl", "--out", "probes"]).code == 0
    audit = ["audit", "run", "probes", "--judge", "tool_call_accuracy", *reached, "--out", "audit"]
    follow(typed(audit), depth=1)


def test_a_preference_proposes_what_can_be_typed(reached: list[str]):
    open_cases()
    assert typed(RUN).code == 0
    told = typed(
        ["compare", "my run", "--by", "system", "--judge", "preference", *reached, "--out", "prefer"]
    )
    assert told.code == 0, told.err
    follow(told, depth=1)


@pytest.mark.usefixtures("demo_run")
def test_the_demo_proposes_what_can_be_typed():
    told = Result(0, (Path(__file__).parent / "printed" / "demo.txt").read_text("utf-8"), "")
    (review,) = proposed(told)
    *others, again = proposed(typed(review))
    assert others == [["review", "demo", "--add", "labels-suspects-NAME.jsonl"], ["calibrate", "demo"]]
    assert typed(again).code == 0


def test_a_hint_names_the_table_and_how_it_was_read():
    rows: list[dict[str, object]] = [
        {"nr": n, "llm_judge": n % 2, "bewertung_mensch": ["grounded", "not grounded"][n % 3 == 0]}
        for n in range(30)
    ]
    table("my table.csv", rows)
    told = typed(["calibrate", "my table.csv", "--score-scale", "0:1"])
    (plan,) = re.findall(r"^  fiducial (plan .*)$", told.out, re.MULTILINE)
    assert shlex.split(plan) == ["plan", "my table.csv", "--score-scale", "0:1", "--next", "50"]
    assert "Label these 30 next" in typed(shlex.split(plan)).out
    (labelled,) = re.findall(r"`fiducial (calibrate .*?)`", told.err)
    assert typed(shlex.split(labelled)).code == 0


def test_another_tools_file_of_scores_is_imported_before_it_is_calibrated():
    rows = [
        {
            "input": "a",
            "actualOutput": "b",
            "name": "t",
            "metricsData": [{"name": "F", "score": 1, "success": True}],
        }
    ]
    Path("their results.json").write_text(json.dumps({"testCases": rows}))
    refused = typed(["calibrate", "their results.json"])
    assert refused.code == 2
    commands = re.findall(r"`fiducial (.*?)`", refused.err)
    assert [typed(shlex.split(command)).code for command in commands] == [0, 0]


def test_a_plan_that_is_not_said_names_a_command():
    table("theirs.csv", [{"id": f"t{n}", "score": n % 2 * 5} for n in range(30)])
    for words in (["plan"], ["plan", "theirs.csv", "--score-scale", "0:5"]):
        refused = typed(words)
        (command,) = re.findall(r"`fiducial (.*?)`", refused.err)
        assert refused.code == 2
        assert typed(shlex.split(command)).code == 0


def test_everything_that_is_told_ends_with_the_next_step():
    open_cases()
    (short,) = proposed(typed(RUN))
    (full,) = proposed(typed([*RUN, "-v"]))
    assert judged_by(full) == judged_by(short)


def test_replies_without_a_score_lead_to_another_model_or_prompt(reached: list[str], server: ProviderServer):
    open_cases()
    server.script = lambda seen: Answer("I like it.")
    told = " ".join(typed([*RUN, "--judge", "rubric", *reached]).out.split())
    assert "Next: rubric/reasons@m gave no readable score for 16 of 16 outputs (" in told
    assert "Use another --model or variant of the judge, with a new --out." in told


def test_two_runs_without_a_common_grade_say_so_in_one_line():
    open_cases()
    for name in ("one", "two"):
        typed([*RUN[:-1], name])
    told = typed(["report", "one", "two", "--html", "both.html"])
    assert (
        "Nothing can be compared: no output was graded in both runs by the same checker or judge."
        in " ".join(told.out.split())
    )
    assert "regressions" not in told.out


def test_outputs_that_no_judge_takes_are_no_failures_to_review(reached: list[str]):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    log = {
        "model": "v",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}],
        "response": {"choices": [{"message": {"role": "assistant", "content": "A cat"}}]},
    }
    Path("log.jsonl").write_text(f"{json.dumps(log)}\n")
    typed(["import", "log.jsonl", "--out", "log"])
    run = ["run", "log/cases.jsonl", "--outputs", "log/outputs.jsonl", "--out", "log/run"]
    told = " ".join(typed([*run, "--judge", "rubric", *reached]).out.split())
    assert "Next: 1 output ungraded: the item holds an image, and this prompt sends text; add `images: true` to a copy (`fiducial prompts show rubric/reasons`)." in told  # fmt: skip


JUDGED = ["--judge", "tool_call_accuracy", "--judge-on", "all"]


def test_a_judge_no_better_than_chance_leads_to_a_search_for_a_better_prompt(reached: list[str]):
    calls(25, count=50)
    told = typed([*RUN, *JUDGED, *reached])
    assert "tool_call_accuracy/reasons@m is no better than chance." in " ".join(told.out.split())
    (improve,) = proposed(told)
    assert improve[:3] == ["improve", "my run", "--prompt"]
    searched = typed(improve)
    assert searched.code == 1, searched.err
    assert "my run-better" in searched.out


def test_few_labels_that_a_judge_contradicts_are_read_first(reached: list[str]):
    calls(15, count=30)
    (review,) = proposed(typed([*RUN, *JUDGED, *reached]))
    assert review == ["review", "my run", "--of", "disagreements"]
    assert typed(review).code == 0


def test_a_baseline_no_better_than_chance_leads_to_a_model(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    calls(25, count=50)
    told = typed([*RUN, *JUDGED, "--model", "baseline"])
    (ask,) = proposed(told)
    assert "is no better than chance. Ask a model (needs OPENAI_API_KEY" in " ".join(told.out.split())
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert typed(ask).code == 0
    assert server.seen


def test_a_certified_judge_is_not_certified_again(reached: list[str], server: ProviderServer):
    server.script = in_the_form_asked_for(
        lambda seen: int(int(re.findall(r"Call (\d+)\.", seen.text)[-1]) < 50)
    )
    calls(50, count=100)
    run = [*RUN, *JUDGED, *reached]
    (certify,) = proposed(typed(run))
    assert certify[:2] == ["audit", "certify"]
    assert typed(certify).code == 0
    again = typed(run)
    assert proposed(again) == []
    assert "Next: Everything is graded. Review the 50 failures in the report." in again.out
    page = Path("my run/report.html").read_text()
    assert "Certify tool_call_accuracy" not in page
    assert "certified" in page


def test_a_run_that_names_no_model_proposes_one_and_the_command_goes_on(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    open_cases()
    first = typed([*RUN, "--judge", "rubric", "-v"])
    assert first.code == 2
    (command, *_) = proposed(first)
    assert command == [*RUN, "--judge", "rubric", *MODEL_NAMED]
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert typed(command).code == 0
