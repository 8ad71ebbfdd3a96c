from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest
from command import Command, fiducial, typed, verdicts_in
from left_running import signalled
from provider_server import Answer, Hang, ProviderServer, Response, Seen, Status, in_the_form_asked_for

from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.records import Output, Verdict, write_records

pytestmark = pytest.mark.usefixtures("few_draws")

KEY = "sk-very-secret"


@pytest.fixture
def run(inputs: tuple[Path, Path], tmp_path: Path) -> Command:
    """Run on the inputs, into the same folder each time."""
    cases, outputs = inputs
    return partial(fiducial, *typed("run", "-v", cases, outputs=outputs, out=tmp_path / "run"))


@pytest.fixture
def judged(run: Command, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run with a judge at the loopback server."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return partial(run, *typed(judge="tool_call_accuracy", model="m", base_url=server.base_url, attempts=1))


def says_right(seen: Seen) -> int:
    return int("Atlantis" not in seen.text)


def test_without_a_judge_every_output_is_checked_and_the_rate_has_its_denominator(
    run: Command, tmp_path: Path
):
    result = run()
    assert (result.code, "  checked: 0.75 [0.50, 0.90], n 20 of 20\n" in result.out) == (0, True)
    assert [verdict.score for verdict in verdicts_in(tmp_path / "run", source="checker")] == [
        0.0,
        1.0,
        1.0,
        1.0,
    ] * 5


def test_the_rates_of_a_run_are_printed_as_json_or_written_beside_the_screen(run: Command, tmp_path: Path):
    printed = json.loads(run("--json").out)
    (rates,) = printed["systems"].values()
    assert (rates["decided"]["value"], rates["decided"]["n"]) == (0.75, 20)
    assert printed["folder"] == str(tmp_path / "run")
    written = run("--json", tmp_path / "rates.json")
    assert json.loads((tmp_path / "rates.json").read_text()) == printed
    assert written.out
    failed = run("--json", "-", "--fail-under", "pass_rate=0.9")
    assert (failed.code, json.loads(failed.out)) == (1, printed)


def test_a_judge_is_calibrated_against_the_checkers(judged: Command, server: ProviderServer, tmp_path: Path):
    server.script = in_the_form_asked_for(says_right)
    result = judged()
    calibration = json.loads((tmp_path / "run" / "calibration.json").read_text())
    panel = calibration["judges"]["tool_call_accuracy/reasons@m"]
    assert (result.code, panel["tp"], panel["fp"], panel["fn"], panel["tn"]) == (0, 15, 0, 0, 5)
    assert panel["n_clusters"] == 10
    assert calibration["baselines"]["lexical"]["n"] == 20
    # One judge alone is compared with nobody.
    assert "comparison" not in calibration
    assert "Judges against each other" not in (tmp_path / "run" / "report.html").read_text()


def test_two_judges_of_the_same_outputs_are_compared_in_the_report(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    right = in_the_form_asked_for(says_right)
    kind = in_the_form_asked_for(lambda _: 1)
    # The prompt that asks for a bare score gets a judge that passes everything.
    server.script = lambda seen: (right if "reason" in seen.text.lower() else kind)(seen)
    judged("--judge", "tool_call_accuracy/direct", "--no-cache")
    (pair,) = json.loads((tmp_path / "run" / "calibration.json").read_text())["comparison"]["pairs"]
    assert (pair["n"], {pair["a_only_right"], pair["b_only_right"]}) == (20, {0, 5})
    assert "Judges against each other" in (tmp_path / "run" / "report.html").read_text()


def test_the_same_command_again_asks_nothing_and_adds_nothing(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    first = judged("--no-cache")
    lines = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    second = judged("--no-cache")
    assert (len(server.seen), (tmp_path / "run" / "verdicts.jsonl").read_bytes()) == (20, lines)
    assert first.out == second.out


def test_decided_outputs_are_sampled_for_the_judge_and_the_time_of_those_asked_adds_up(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    asked: list[int] = []
    took: list[float] = []
    for sample in ("7", "7", "12", "all"):
        judged("--judge-on", sample, "--no-cache")
        asked.append(len(server.seen))
        took.append(json.loads((tmp_path / "run" / "run.json").read_text())["judges"][0]["seconds"])
    assert asked == [7, 7, 12, 20]
    assert 0 < took[0] == took[1] < took[2] < took[3]


def test_labels_of_outputs_that_are_not_there_are_counted(run: Command, tmp_path: Path):
    given = [
        Verdict(case_id="case-1", system=system, by="ann", source="human", outcome="graded", score=1.0)
        for system in ("agent", "somebody else")
    ]
    write_records(tmp_path / "labels.jsonl", given)
    result = run("--labels", tmp_path / "labels.jsonl")
    assert result.code == 0
    assert "note: 1 label matches no output\n" in result.out


def test_calls_that_fail_are_exit_code_3_and_alone_are_asked_again(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    good = in_the_form_asked_for(says_right)

    def half_down(seen: Seen) -> Response:
        return Status(500) if "City1" in seen.text and "City1?" not in seen.text else good(seen)

    server.script = half_down
    first = judged("--no-cache")
    failed = [
        verdict for verdict in verdicts_in(tmp_path / "run", source="judge") if verdict.outcome == "failed"
    ]
    assert (first.code, len(failed), len(server.seen)) == (3, 10, 20)
    assert "10 failed" in first.out
    assert all(verdict.score is None and verdict.reason for verdict in failed)

    server.script = good
    second = judged("--no-cache")
    assert (second.code, len(server.seen)) == (0, 30)
    graded = [verdict.key for verdict in verdicts_in(tmp_path / "run", source="judge") if verdict.graded]
    assert len(graded) == len(set(graded)) == 20
    assert "judge-on" not in second.err
    assert "n 20 in 10 clusters; tp 15, fp 0, fn 0, tn 5" in second.out


def test_replies_that_cannot_be_read_are_counted_apart_and_exit_code_0(
    judged: Command, server: ProviderServer
):
    server.script = lambda seen: (
        Answer("perhaps") if "City3?" in seen.text else in_the_form_asked_for(says_right)(seen)
    )
    result = judged()
    assert result.code == 0
    assert "tool_call_accuracy/reasons@m: 19 graded, 1 unparsable; 21 calls" in result.out
    assert "n 19 in 10 clusters, 1 ungraded by the judge" in result.out


def test_a_case_without_an_output_is_named_in_the_next_step(run: Command, inputs: tuple[Path, Path]):
    first, *rest = inputs[1].read_text().splitlines(keepends=True)
    inputs[1].write_text("".join(rest))
    assert (
        "Next: 1 case has no output (case-0). Add one, or an `error`, and rerun with a new --out."
        in run().out
    )
    assert '"case-0"' in first


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--model", "m"), "no model endpoint is configured: set OPENAI_API_KEY"),
        (("--model", "m", "--api-key-env", "MY_KEY"), "--api-key-env MY_KEY: this variable is not set"),
        ((), "no model is named: add --model NAME"),
    ],
)
def test_without_an_endpoint_the_deterministic_part_is_kept_and_one_line_says_what_to_set(
    run: Command, tmp_path: Path, args: tuple[str, ...], message: str
):
    result = run("--judge", "tool_call_accuracy", *args)
    (line,) = [line for line in result.err.splitlines() if line.startswith("fiducial:")]
    assert (result.code, message in line) == (2, True)
    assert "checked: 0.75" in result.out
    assert "nothing to judge" not in result.out
    assert len(verdicts_in(tmp_path / "run", source="checker")) == 20


def test_the_report_says_that_no_judge_was_asked_until_one_was(run: Command, judged: Command, tmp_path: Path):
    report = tmp_path / "run" / "report.html"
    run("--judge", "tool_call_accuracy")
    assert "No judge was asked: no model is named: add --model NAME" in report.read_text()
    judged()
    assert "No judge was asked" not in report.read_text()


def test_it_is_said_how_what_is_open_can_be_judged_also_where_judges_of_other_kinds_were_asked(
    tmp_path: Path,
):
    cases, outputs = tmp_path / "open.jsonl", tmp_path / "said.jsonl"
    cases.write_text('{"id": "a", "kind": "open_answer", "reference": {"criterion": "It is polite."}}\n')
    outputs.write_text('{"case_id": "a", "system": "s", "text": "Please."}\n')
    for judge in ((), ("--judge", "memory_answer", "--model", "baseline")):
        result = fiducial("run", "-v", cases, "--outputs", outputs, *judge, "--out", tmp_path / "run")
        assert result.code == 0
        assert "note: 1 undecided output without a judge" in result.out
        page = (tmp_path / "run" / "report.html").read_text()
        assert "about 1 undecided output: " in page
        assert "--judge JUDGE" not in page


def test_a_run_stopped_for_want_of_an_endpoint_goes_on_when_there_is_one(
    run: Command, judged: Command, server: ProviderServer
):
    assert run("--judge", "tool_call_accuracy").code == 2
    assert judged().code == 0
    assert len(server.seen) == 20


def test_the_baseline_needs_no_endpoint(run: Command, tmp_path: Path):
    result = run("--judge", "tool_call_accuracy", "--model", "baseline")
    assert result.code == 0
    assert len(verdicts_in(tmp_path / "run", source="judge")) == 20


def test_an_unknown_judge_is_refused_before_anything_is_done(run: Command, tmp_path: Path):
    result = run("--judge", "tool_call_acuracy", "--model", "m")
    assert (result.code, (tmp_path / "run").exists()) == (2, False)
    assert "did you mean tool_call_accuracy" in result.err


def test_a_recording_replays_without_a_server(
    judged: Command, run: Command, server: ProviderServer, tmp_path: Path
):
    server.script = in_the_form_asked_for(says_right)
    judged("--record", tmp_path / "replies.jsonl")
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    judge = ("--judge", "tool_call_accuracy", "--model", "m", "--replay", tmp_path / "replies.jsonl")
    replayed = fiducial("run", "-v", cases, "--outputs", outputs, "--out", tmp_path / "replayed", *judge)
    assert (replayed.code, len(server.seen)) == (0, 20)
    scores = [
        sorted((verdict.case_id, verdict.score) for verdict in verdicts_in(tmp_path / name, source="judge"))
        for name in ("run", "replayed")
    ]
    assert scores[0] == scores[1]


def test_a_second_run_in_another_folder_is_answered_from_the_cache(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    judged()
    (tmp_path / "run").rename(tmp_path / "first")
    result = judged()
    assert len(server.seen) == 20
    assert "0 calls" in result.out
    assert "20 from cache or recording" in result.out


def test_no_file_of_a_run_holds_the_key(judged: Command, tmp_path: Path):
    judged("--record", tmp_path / "run" / ".." / "replies.jsonl")
    kept = [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert kept == []


def test_credentials_in_the_url_are_refused_and_not_recorded(
    run: Command, server: ProviderServer, tmp_path: Path
):
    url = server.base_url.replace("://", "://user:hunter2@")
    result = run("--judge", "tool_call_accuracy", "--model", "m", "--base-url", url)
    kept = [
        file for file in (tmp_path / "run").rglob("*") if file.is_file() and b"hunter2" in file.read_bytes()
    ]
    assert (result.code, kept, "hunter2" in result.out + result.err) == (2, [], False)
    assert "the endpoint's address holds a password" in result.err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--fail-under", "pass_rate=0.7"), 0, None),
        (
            ("--fail-under", "pass_rate=0.8"),
            1,
            "gate failed: agent: pass_rate 0.7500 [0.5021, 0.8992] (n 20) is below 0.8",
        ),
        (("--fail-under", "overall=0.7"), 0, None),
        (
            ("--fail-under", "overall=0.8"),
            1,
            "gate failed: agent: overall 0.7500 [0.5021, 0.8992] (n 20) is below 0.8",
        ),
        (("--fail-under", "0.8"), 2, "--fail-under 0.8: name the statistic: --fail-under pass_rate=0.8"),
        (("--fail-under", "cohen_kappa=0.5"), 1, "gate failed: cohen_kappa: no judge was calibrated"),
        (("--fail-under", "happiness=1"), 2, "no statistic is called 'happiness'"),
        (("--fail-under", "pass_rate"), 2, "expects STAT=VALUE"),
        (("--min-graded", "1"), 0, None),
    ],
)
def test_gates_decide_the_exit_code(run: Command, args: tuple[str, ...], code: int, message: str | None):
    result = run(*args)
    assert result.code == code
    assert message is None or message in result.out + result.err


def test_an_undefined_statistic_fails_its_gate(judged: Command):
    result = judged("--fail-under", "mcc=0")
    assert result.code == 1
    assert "mcc is undefined" in result.out


def test_missing_outputs_are_counted_and_can_fail_the_run(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    half = tmp_path / "half.jsonl"
    half.write_bytes(b"".join(outputs.read_bytes().splitlines(keepends=True)[:10]))
    result = fiducial("run", "-v", cases, "--outputs", half, "--out", tmp_path / "run", "--min-graded", "0.9")
    assert result.code == 1
    assert "n 10 of 20 (10 missing)" in result.out
    assert "over all 20: 0.35 to 0.85 if all ungraded" in result.out
    assert "10 of 20 outputs are graded (0.5000), less than 0.9" in result.out


def bad(path: Path, number: int, line: bytes) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = line + b"\n"
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            b'{"case_id": "nobody", "system": "agent"}',
            "outputs.jsonl:3: case_id: no case has the id 'nobody'",
        ),
        (b'{"case_id": "case-1", "system": "agent"}', "outputs.jsonl:3: repeats "),
        (b'{"case_id": "case-2", "system": 7}', "outputs.jsonl:3: system: Expected `str`, got `int`"),
        (b'{"case_id": "case-2"', "outputs.jsonl:3: not JSON"),
        (b'\xff\xfe{"case_id"', "outputs.jsonl:3: not UTF-8"),
        (
            b'{"case_id": "case-2", "system": "agent", "text": "' + b"x" * 50_000_000 + b'"}',
            "outputs.jsonl:3: the line is longer",
        ),
    ],
    ids=["unknown id", "duplicate", "wrong type", "broken", "not UTF-8", "50 MB"],
)
def test_a_bad_output_is_one_line_before_anything_is_done(
    run: Command, inputs: tuple[Path, Path], tmp_path: Path, line: bytes, message: str
):
    bad(inputs[1], 3, line)
    result = run()
    assert (result.code, (tmp_path / "run").exists(), len(result.err.splitlines())) == (2, False, 1)
    assert message in result.err


def test_an_empty_file_is_one_line(run: Command, inputs: tuple[Path, Path]):
    inputs[1].write_bytes(b"")
    result = run()
    assert (result.code, result.err) == (
        2,
        f"fiducial: {inputs[1]}: the file is empty; expected one JSON object a line\n",
    )


def test_bad_input_later_loses_nothing_that_is_done(run: Command, inputs: tuple[Path, Path], tmp_path: Path):
    run()
    before = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    bad(inputs[1], 3, b"{")
    assert run().code == 2
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == before


def test_changed_inputs_are_another_run(run: Command, inputs: tuple[Path, Path]):
    run()
    write_records(inputs[1], [Output(case_id="case-1", system="agent", text="[]")])
    result = run()
    assert result.code == 2
    assert "made by a run that differs in inputs" in result.err


def test_labels_of_people_take_precedence_and_are_checked(
    judged: Command, server: ProviderServer, tmp_path: Path
):
    label = Verdict(case_id="case-0", system="agent", by="ada", source="human", outcome="graded", score=1.0)
    write_records(tmp_path / "labels.jsonl", [label])
    result = judged("--labels", tmp_path / "labels.jsonl")
    assert "n 20 in 10 clusters; tp 16, fp 4, fn 0, tn 0" in result.out
    (tmp_path / "labels.jsonl").write_text(
        '{"case_id":"x","system":"agent","by":"ada","source":"human","outcome":"graded","score":1}\n'
    )
    assert (
        "labels.jsonl:1: case_id: no case has the id 'x'" in judged("--labels", tmp_path / "labels.jsonl").err
    )


def test_a_run_folder_that_another_process_writes_is_refused(run: Command, tmp_path: Path):
    with RunWriter(tmp_path / "run"):
        result = run()
    assert result.code == 2
    assert "another process is writing this run" in result.err


def asked_at(server: ProviderServer) -> list[str | Path]:
    judge = typed(judge="tool_call_accuracy", model="m", base_url=server.base_url)
    return typed(
        "run", "cases.jsonl", *judge, outputs="outputs.jsonl", out="run", no_cache=True, concurrency=2
    )


@pytest.mark.slow
@pytest.mark.attack("adversity")
def test_a_killed_run_repeats_at_most_what_was_in_flight(
    judged: Command, server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path
):
    good = in_the_form_asked_for(says_right)
    server.script = lambda seen: good(seen) if len(server.seen) <= 9 else Hang()
    signalled(SIGKILL, lambda: len(server.seen) >= 11, asked_at(server))
    server.script = good
    assert judged("--no-cache").code == 0
    assert len(server.seen) <= 20 + 2 + 2
    graded = [verdict.key for verdict in verdicts_in(tmp_path / "run", source="judge") if verdict.graded]
    assert len(graded) == len(set(graded)) == 20


@pytest.mark.slow
@pytest.mark.parametrize("sign", [SIGINT, SIGTERM])
def test_an_interrupted_run_says_so_and_keeps_what_it_has(
    server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path, sign: Signals
):
    good = in_the_form_asked_for(says_right)
    server.script = lambda seen: good(seen) if len(server.seen) <= 9 else Hang()

    def nine_are_kept() -> bool:
        kept = tmp_path / "run" / "verdicts.jsonl"
        return len(server.seen) >= 11 and kept.read_bytes().count(b'"source":"judge"') >= 9

    ended = signalled(sign, nine_are_kept, asked_at(server))
    assert (ended.returncode, "Traceback" in ended.stderr) == (130, False)
    assert "Interrupted. Finished work is saved" in ended.stderr
    assert len(verdicts_in(tmp_path / "run", source="judge")) >= 9
    assert (tmp_path / "run" / "run.json").stat().st_size > 0
