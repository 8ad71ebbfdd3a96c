from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from functools import partial
from itertools import cycle
from pathlib import Path

import msgspec
import pytest
from command import Command, fiducial, typed, verdicts_in
from provider_server import Answer, Hang, ProviderServer, Status, in_the_form_asked_for

from fiducial.records import Case, Output, read_records, write_records


@pytest.fixture
def judge(server: ProviderServer, inputs: tuple[Path, Path]) -> Command:
    """Return a function that runs `fiducial judge` with a prompt, always into one folder."""
    cases, outputs = inputs
    asked = typed("judge", "-v", cases, outputs=outputs, model="m", base_url=server.base_url, out="run")
    return partial(fiducial, *asked, "--judge")


def test_a_judge_is_asked_about_every_output_and_nothing_is_checked(judge: Command):
    result = judge("tool_call_accuracy/direct")
    rows = verdicts_in("run")
    assert (result.code, len(rows), {row.by for row in rows}) == (0, 20, {"tool_call_accuracy/direct@m"})
    assert "  judge's rate\n    tool_call_accuracy/direct@m  1.00 [0.81, 1.00], n 20 of 20\n" in result.out


def test_judging_independent_cases_without_labels_loads_no_numpy(
    inputs: tuple[Path, Path], server: ProviderServer
):
    cases, outputs = inputs
    alone = [msgspec.structs.replace(case, cluster=None) for case in read_records(cases, Case)]
    write_records(cases, alone)
    asked = typed(
        "judge", cases, outputs=outputs, judge="tool_call_accuracy", model="m", base_url=server.base_url
    )
    code = (
        "import sys\nfrom fiducial.cli.main import main\n"
        "try: main()\nexcept SystemExit: print(sorted({'numpy', 'scipy'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, *asked, "--out", "run"]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    assert told.stdout.splitlines()[-1] == "[]"


def test_repeats_are_judged_apart(judge: Command, server: ProviderServer):
    judge("tool_call_accuracy", "--repeats", "3")
    rows = verdicts_in("run")
    assert sorted({row.repeat for row in rows}) == [0, 1, 2]
    assert (len(rows), len(server.seen)) == (60, 60)


def test_another_price_in_the_teams_file_counts_anew_what_a_finished_run_cost(
    judge: Command, server: ProviderServer
):
    told: list[str] = []
    for price in ("1/10", "2/20"):
        Path("fiducial.toml").write_text(f'[judge]\nprice = ["{price}"]\n', "utf-8")
        told += [
            line.rpartition(", ")[2] for line in judge("tool_call_accuracy").out.splitlines() if "$" in line
        ]
    first, second = (float(cost.strip().removeprefix("$")) for cost in told)
    assert second == pytest.approx(2 * first)
    assert len(server.seen) == 20


def test_a_call_that_hangs_is_asked_again_and_fails_nothing(
    judge: Command, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("fiducial.judges.transport.adaptive_timeout._MIN_LIMIT_SECONDS", 0.2)
    good = in_the_form_asked_for()
    server.script = lambda seen: Hang() if len(server.seen) == 30 else good(seen)
    # With a single attempt, a call that came to its timeout would have failed.
    result = judge("tool_call_accuracy", *typed(repeats=3, concurrency=4, attempts=1))
    assert (result.code, sum(row.graded for row in verdicts_in("run"))) == (0, 60)
    assert len(server.seen) >= 61


def test_an_image_that_no_judge_was_shown_is_said_aloud(tmp_path: Path, server: ProviderServer):
    cases, outputs = tmp_path / "seen.jsonl", tmp_path / "said.jsonl"
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
    reference = {"criterion": "It names the animal."}
    case = Case(
        id="1", kind="open_answer", messages=[{"role": "user", "content": parts}], reference=reference
    )
    write_records(cases, [case])
    write_records(outputs, [Output(case_id="1", system="agent", text="A cat.")])
    asked = typed("judge", cases, outputs=outputs, model="m", base_url=server.base_url, out="run")
    result = fiducial(*asked, "--judge", "rubric")
    told = " ".join(result.out.split())
    assert (
        "1 not applicable: the item holds an image, and this prompt sends text; add `images: true` to a copy"
        in told
    )
    assert server.seen == []


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        ([Answer("who knows")], 4),
        ([Answer("who knows"), Status(401)], 4),
        ([Answer(None, refusal="I cannot help with that.")], 4),
        ([Answer("who knows"), Answer("1")], 0),
        ([Status(401)], 3),
    ],
)
def test_a_judge_that_graded_nothing_ends_the_command_with_a_code_of_its_own(
    judge: Command, server: ProviderServer, replies: list[Answer | Status], code: int
):
    turns = cycle(replies)
    by_case = defaultdict[str, Answer | Status](lambda: next(turns))
    server.script = lambda seen: by_case[seen.text]
    assert judge("tool_call_accuracy").code == code


def test_why_calls_failed_is_said_where_the_run_ends(judge: Command, server: ProviderServer):
    server.script = lambda seen: Status(401)
    result = judge("tool_call_accuracy")
    assert result.code == 3
    assert "    failed: 20 HTTP 401: scripted 401\n" in result.out


@pytest.mark.parametrize(
    ("address", "key"),
    [("127.0.0.1:8000/v1", "k"), ("http://[::1/v1", "k"), ("http://127.0.0.1:1/v1", "k\n")],
)
def test_an_endpoint_that_cannot_be_one_is_said_in_one_line_before_anything_is_done(
    judge: Command, monkeypatch: pytest.MonkeyPatch, address: str, key: str
):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    result = judge("tool_call_accuracy", "--base-url", address)
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert "the endpoint's" in result.err
    assert not Path("run").exists()


def test_without_a_model_to_ask_no_folder_is_left_behind(inputs: tuple[Path, Path]):
    asked = typed("judge", inputs[0], outputs=inputs[1], judge="groundedness", out="run")
    for options, wanted in (((), "no model is named"), (("--model", "m"), "no model endpoint is configured")):
        result = fiducial(*asked, *options)
        assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
        assert wanted in result.err
        assert not Path("run").exists()


def test_a_wrong_key_costs_twenty_calls_over_all_judges_and_is_said_first(
    judge: Command, server: ProviderServer
):
    server.script = lambda seen: Status(401)
    result = judge("tool_call_accuracy", "--judge", "tool_call_accuracy/direct", "--repeats", "3")
    assert (result.code, len(server.seen)) == (3, 20)
    assert sum(row.outcome == "failed" for row in verdicts_in("run")) == 120
