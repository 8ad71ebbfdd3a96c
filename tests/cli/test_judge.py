from __future__ import annotations

from pathlib import Path

import pytest
from command import fiducial
from provider_server import Hang, ProviderServer, Status, in_the_form_asked_for

from fiducial.records import Verdict, read_records


def test_a_judge_is_asked_about_every_output_and_nothing_is_checked(
    server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path
):
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy/direct", "--model", "m", "--base-url", server.base_url)
    result = fiducial("judge", "-v", cases, "--outputs", outputs, *judge, "--out", tmp_path / "run")
    rows = list(read_records(tmp_path / "run" / "verdicts.jsonl", Verdict))
    assert (result.code, len(rows), {row.by for row in rows}) == (0, 20, {"tool_call_accuracy/direct@m"})
    assert "  judge's rate\n    tool_call_accuracy/direct@m  1.00 [0.81, 1.00] on 20 of 20\n" in result.out


def test_repeats_are_judged_apart(server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy", "--model", "m", "--base-url", server.base_url, "--repeats", "3")
    fiducial("judge", "-v", cases, "--outputs", outputs, *judge, "--out", tmp_path / "run")
    rows = list(read_records(tmp_path / "run" / "verdicts.jsonl", Verdict))
    assert sorted({row.repeat for row in rows}) == [0, 1, 2]
    assert (len(rows), len(server.seen)) == (60, 60)


def test_a_call_that_hangs_is_asked_again_and_fails_nothing(
    server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path
):
    good = in_the_form_asked_for()
    server.script = lambda seen: Hang() if len(server.seen) == 30 else good(seen)
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy", "--model", "m", "--base-url", server.base_url, "--repeats", "3")
    # With a single attempt, a call that came to its timeout would have failed.
    bounds = ("--concurrency", "4", "--attempts", "1")
    result = fiducial("judge", "-v", cases, "--outputs", outputs, *judge, *bounds, "--out", tmp_path / "run")
    rows = list(read_records(tmp_path / "run" / "verdicts.jsonl", Verdict))
    assert (result.code, sum(row.graded for row in rows)) == (0, 60)
    assert len(server.seen) >= 61


def test_why_calls_failed_is_said_where_the_run_ends(
    server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path
):
    server.script = lambda seen: Status(401)
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy", "--model", "m", "--base-url", server.base_url)
    result = fiducial("judge", "-v", cases, "--outputs", outputs, *judge, "--out", tmp_path / "run")
    assert result.code == 3
    assert "    failed: 20 HTTP 401: scripted 401\n" in result.out


@pytest.mark.parametrize(
    ("address", "key"),
    [("127.0.0.1:8000/v1", "k"), ("http://[::1/v1", "k"), ("http://127.0.0.1:1/v1", "k\n")],
)
def test_an_endpoint_that_cannot_be_one_is_said_in_one_line_before_anything_is_done(
    inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, key: str
):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy", "--model", "m", "--base-url", address)
    result = fiducial("judge", "-v", cases, "--outputs", outputs, *judge, "--out", tmp_path / "run")
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert "the endpoint's" in result.err
    assert not (tmp_path / "run").exists()


def test_without_a_model_to_ask_no_folder_is_left_behind(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    asked = ("judge", cases, "--outputs", outputs, "--judge", "groundedness", "--out", tmp_path / "run")
    for options, wanted in (((), "no model is named"), (("--model", "m"), "no model endpoint is configured")):
        result = fiducial(*asked, *options)
        assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
        assert wanted in result.err
        assert not (tmp_path / "run").exists()
