from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_server import error_line, result_line
from command import Command, fiducial, typed, verdicts_in
from provider_server import ProviderServer

MODEL = ("--judge", "tool_call_accuracy/direct", "--model", "m")


@pytest.fixture
def export(inputs: tuple[Path, Path]) -> Command:
    cases, outputs = inputs
    return partial(fiducial, *typed("batch", "export", cases, *MODEL, outputs=outputs, out="requests.jsonl"))


@pytest.fixture
def import_(inputs: tuple[Path, Path]) -> Command:
    cases, outputs = inputs
    return partial(
        fiducial, *typed("batch", "import", cases, *MODEL, outputs=outputs, out="run"), "--results"
    )


def lines(path: str = "requests.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def ids(path: str = "requests.jsonl") -> list[str]:
    return [line["custom_id"] for line in lines(path)]


def answer(path: str, *results: bytes) -> str:
    Path(path).write_bytes(b"".join(results))
    return path


def test_requests_are_those_that_judging_would_send(
    export: Command, inputs: tuple[Path, Path], server: ProviderServer
):
    result = export()
    assert (result.code, result.out) == (0, "requests.jsonl: 20 requests\n")
    assert {(line["method"], line["url"]) for line in lines()} == {("POST", "/v1/chat/completions")}
    cases, outputs = inputs
    fiducial(
        "judge", "-v", cases, "--outputs", outputs, *MODEL, "--base-url", server.base_url, "--out", "judged"
    )
    sent = sorted(json.dumps(seen.body, sort_keys=True) for seen in server.seen)
    assert sorted(json.dumps(line["body"], sort_keys=True) for line in lines()) == sent


def test_names_are_hashes_of_what_is_asked_so_a_second_export_is_the_same_file(export: Command):
    export()
    first = Path("requests.jsonl").read_bytes()
    export()
    assert Path("requests.jsonl").read_bytes() == first
    assert len(set(ids())) == 20
    assert {len(name) for name in ids()} == {32}


def test_each_question_is_written_once_and_each_repeat_is_a_question(
    export: Command, inputs: tuple[Path, Path]
):
    twice = inputs[1].with_name("twice.jsonl")
    twice.write_text(inputs[1].read_text().replace('"agent"', '"twin"'))
    export("--outputs", twice, "--repeats", "2")
    assert len(ids()) == len(set(ids())) == 40


def test_results_become_verdicts_as_judging_would_have_written_them(
    export: Command, import_: Command, inputs: tuple[Path, Path], server: ProviderServer
):
    export()
    result = import_(answer("results.jsonl", *(result_line(name, "1") for name in reversed(ids()))))
    assert result.code == 0
    cases, outputs = inputs
    fiducial(
        "judge", "-v", cases, "--outputs", outputs, *MODEL, "--base-url", server.base_url, "--out", "judged"
    )
    judged = verdicts_in("judged")
    assert sorted(map(repr, verdicts_in())) == sorted(map(repr, judged))


def test_partial_results_and_errors_are_kept_apart_and_a_later_import_replaces_what_failed(
    export: Command, import_: Command
):
    export()
    names = ids()
    first = answer(
        "first.jsonl",
        *(result_line(name, "1") for name in names[:15]),
        error_line(names[15], 500),
        error_line(names[16], 400, "content_filter"),
        result_line(names[17], "who knows"),
        result_line("not-one-of-ours", "1"),
        b'{"custom_id": "cut o',
    )
    result = import_(first)
    outcomes = [verdict.outcome for verdict in verdicts_in()]
    assert (result.code, {name: outcomes.count(name) for name in set(outcomes)}) == (
        3,
        {"graded": 15, "failed": 3, "refused": 1, "unparsable": 1},
    )
    assert {verdict.reason for verdict in verdicts_in() if verdict.outcome == "failed"} == {
        "in the batch: HTTP 500: scripted 500",
        "the batch holds no result for this request",
    }
    second = answer("second.jsonl", *(result_line(name, "0") for name in names))
    assert import_(first, second).code == 0
    graded = [verdict for verdict in verdicts_in() if verdict.graded]
    assert len(graded) == len({verdict.key for verdict in graded}) == 18
    assert sum(verdict.score == 0 for verdict in graded) == 3


def test_with_results_only_the_rest_is_written_and_what_could_not_be_read_once_more(export: Command):
    export()
    names = ids()
    results = answer(
        "results.jsonl",
        *(result_line(name, "1") for name in names[:17]),
        error_line(names[17], 429),
        result_line(names[18], "who knows"),
    )
    export("--results", results)
    assert len(ids()) == 3
    assert set(names[17:]) - set(ids()) == {names[18]}
    (again,) = set(ids()) - set(names)
    export("--results", results, answer("more.jsonl", result_line(again, "no idea")))
    assert len(ids()) == 2


def test_a_second_reply_is_read_when_the_first_could_not_be(export: Command, import_: Command):
    export()
    first = answer("first.jsonl", *(result_line(name, "who knows") for name in ids()))
    export("--results", first)
    second = answer("second.jsonl", *(result_line(name, "1") for name in ids()))
    assert import_(first, second).code == 0
    assert {
        (verdict.outcome, verdict.usage and (verdict.usage.calls, verdict.usage.reasked))
        for verdict in verdicts_in()
    } == {("graded", (2, 1))}


def test_what_a_run_folder_has_is_left_out(export: Command, import_: Command):
    export()
    import_(answer("results.jsonl", *(result_line(name, "1") for name in ids()[:15])))
    result = export("--run", "run")
    assert result.out == "requests.jsonl: 5 requests\n"
    import_(answer("results.jsonl", *(result_line(name, "1") for name in ids())))
    assert export("--run", "run").out == "no request remains; no file was written\n"


def test_an_empty_run_folder_has_no_verdicts_and_stays_empty(export: Command):
    Path("run").mkdir()
    assert export("--run", "run").out == "requests.jsonl: 20 requests\n"
    assert list(Path("run").iterdir()) == []


def test_models_whose_names_differ_in_a_sign_have_files_of_their_own(export: Command):
    export("--judge", "tool_call_accuracy/direct@a/b", "--judge", "tool_call_accuracy/direct@a-b")
    models = {
        path.name: {line["body"]["model"] for line in lines(path.name)} for path in Path().glob("requests*")
    }
    assert models == {"requests.jsonl": {"a-b"}, "requests-a-b.jsonl": {"a/b"}, "requests-m.jsonl": {"m"}}
    export("--judge", "tool_call_accuracy/direct@n/b", "--judge", "tool_call_accuracy/direct@n-b")
    models = {
        path.name: {line["body"]["model"] for line in lines(path.name)} for path in Path().glob("requests-n*")
    }
    assert models == {"requests-n-b.jsonl": {"n-b"}, "requests-n-b-2.jsonl": {"n/b"}}


def test_imported_replies_can_be_recorded_and_replayed(
    export: Command, inputs: tuple[Path, Path], tmp_path: Path
):
    cases, outputs = inputs
    export()
    results = answer("results.jsonl", *(result_line(name, "0") for name in ids()))
    common = (cases, "--outputs", outputs, *MODEL)
    fiducial("batch", "import", "-v", *common, out="run", results=results, record="recording.jsonl")
    replayed = fiducial("judge", "-v", *common, "--replay", "recording.jsonl", "--out", "replayed")
    assert (replayed.code, "0.00 [0.00, 0.19], n 20 of 20" in replayed.out) == (0, True)


@pytest.mark.parametrize("line", [b"[]\n", b"no json\n", b'{"custom_id": 1}\n', b'{"response": {}}\n'])
def test_a_line_that_is_no_batch_result_is_named(import_: Command, line: bytes):
    result = import_(answer("results.jsonl", result_line("a", "1"), line))
    assert result.code == 2
    assert "results.jsonl:2: not a batch result" in result.err


@pytest.mark.attack("inputs of others")
def test_results_that_are_not_used_are_counted_aloud(export: Command, import_: Command):
    export()
    ours = [result_line(name, "1") for name in ids()]
    result = import_(answer("results.jsonl", *ours, ours[0], result_line("not-one-of-ours", "1")))
    assert result.code == 0
    assert "1 of 21 results match no request" in result.err
    assert "1 result superseded by a later or better one for the same request" in result.err


@pytest.mark.attack("inputs of others")
def test_replies_of_another_model_are_named_and_refused_on_request(export: Command, import_: Command):
    export()
    foreign = answer("results.jsonl", *(served_by("gpt-oss-20b", name) for name in ids()))
    result = import_(foreign)
    assert result.code == 0
    assert "warning: 20 replies from 'gpt-oss-20b', but 'm' was asked" in result.err
    refused = import_(foreign, "--expect-served-by", "m", "--out", "strict")
    assert refused.code == 3
    reasons = {verdict.reason for verdict in verdicts_in("strict")}
    assert reasons == {"'gpt-oss-20b' answered, not 'm' (--expect-served-by)"}


def test_a_release_of_the_model_that_was_asked_is_that_model(export: Command, import_: Command):
    export()
    dated = answer("results.jsonl", *(served_by("maker/m-2026-01-31", name) for name in ids()))
    result = import_(dated, "--expect-served-by", "m")
    assert (result.code, "warning" in result.err) == (0, False)


def served_by(model: str, name: str) -> bytes:
    line = json.loads(result_line(name, "1"))
    line["response"]["body"]["model"] = model
    return json.dumps(line).encode() + b"\n"
