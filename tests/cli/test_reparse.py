from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from command import Command, fiducial, typed, verdicts_in
from provider_server import Answer, ProviderServer, Response, Seen, Status

from fiducial.judges.parsing.declared_parser import PARSER_VERSIONS
from fiducial.records import Verdict

PROMPT = """---
name: Mine
model:
  api: chat
inputs:
  query: {type: string, kind: string}
scale: {minimum: 0, maximum: 1, step: 1}
parse: {mode: number, pick: PICK}
---
user:
{{query}}
"""


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    """A prompt of the user's own, which takes a reply that is nothing but a number."""
    path = tmp_path / "mine.prompty"
    path.write_text(PROMPT.replace("PICK", "alone"))
    return path


@pytest.fixture
def judged(inputs: tuple[Path, Path], server: ProviderServer, prompt: Path) -> Command:
    """`fiducial judge` with the prompt, into the folder ``run``, without retries."""
    cases, outputs = inputs
    server.script = chatty
    at = typed(judge=prompt, model="m", base_url=server.base_url, out="run", retry_unreadable=0)
    return partial(fiducial, "judge", "-v", cases, "--outputs", outputs, *at)


def chatty(seen: Seen) -> Response:
    """Answer a bare 1, a refusal, a score after words, or a truncated score, by city.

    City 1 is refused, cities 2 and 12 have words before the score, and that of city 3 is cut off.
    """
    for name, answer in {
        "City1?": Answer(None, refusal="I will not say 1"),
        "City2?": Answer("I say: 0"),
        "City3?": Answer("I say: 1", finish_reason="length"),
        "City12?": Answer("I say: 1"),
    }.items():
        if name in seen.text:
            return answer
    return Answer("1")


def rows() -> dict[str, Verdict]:
    """The verdicts in the run folder, one a case."""
    found = verdicts_in("run")
    assert len(found) == len({verdict.case_id for verdict in found})
    return {verdict.case_id: verdict for verdict in found}


def said(verdict: Verdict) -> Verdict:
    """The verdict whosesoever it is."""
    return msgspec.structs.replace(verdict, judge=None)


def manifest() -> dict[str, Any]:
    return json.loads(Path("run/run.json").read_text())


def test_replies_are_read_by_the_parser_as_it_is_now_and_nobody_is_asked(
    judged: Command, server: ProviderServer, prompt: Path
):
    judged()
    before, calls = rows(), len(server.seen)
    prompt.write_text(PROMPT.replace("PICK", "last"))
    result = fiducial("judge", "--reparse", "run")
    after = rows()
    assert (result.code, len(server.seen)) == (0, calls)
    assert "mine/custom@m: 20 replies read again, 2 verdicts changed" in result.out
    assert (before["case-2"].outcome, after["case-2"].score, after["case-12"].score) == (
        "unparsable",
        0.0,
        1.0,
    )
    changed = {case for case in after if said(after[case]) != said(before[case])}
    assert changed == {"case-2", "case-12"}
    assert "18 graded, 1 unparsable, 1 refused" in result.out.replace(
        "1 refused, 1 unparsable", "1 unparsable, 1 refused"
    )


def test_what_was_refused_or_cut_off_stays_so_though_its_text_holds_a_number(judged: Command, prompt: Path):
    judged()
    prompt.write_text(PROMPT.replace("PICK", "last"))
    fiducial("judge", "--reparse", "run")
    assert (rows()["case-1"].outcome, rows()["case-3"].outcome) == ("refused", "unparsable")


def test_the_same_judge_goes_on_in_the_folder_after_it(judged: Command, prompt: Path, server: ProviderServer):
    judged()
    prompt.write_text(PROMPT.replace("PICK", "last"))
    refused = judged()
    assert (refused.code, "differs in judge mine/custom@m" in refused.err) == (2, True)
    fiducial("judge", "--reparse", "run")
    calls = len(server.seen)
    assert (judged().code, len(server.seen)) == (0, calls)


@pytest.fixture
def earlier_parser() -> Iterator[pytest.MonkeyPatch]:
    """A version of fiducial with the parsers before the current ones, until it is undone."""
    with pytest.MonkeyPatch.context() as patch:
        for mode, version in PARSER_VERSIONS.items():
            patch.setitem(cast("dict[str, int]", PARSER_VERSIONS), mode, version - 1)
        yield patch


@pytest.mark.parametrize("options", [(), ("--repeats", "2", "--jury", "mean")], ids=["judge", "jury"])
def test_a_folder_of_an_earlier_parser_names_the_command_that_parses_it_again(
    judged: Command, server: ProviderServer, earlier_parser: pytest.MonkeyPatch, options: tuple[str, ...]
):
    judged(*options)
    calls, before = len(server.seen), [said(verdict) for verdict in verdicts_in("run")]
    earlier_parser.undo()
    refused = judged(*options)
    assert (refused.code, "fiducial judge --reparse run" in refused.err) == (2, True)
    assert fiducial("judge", "--reparse", "run").code == 0
    assert (judged(*options).code, len(server.seen)) == (0, calls)
    assert [said(verdict) for verdict in verdicts_in("run")] == before


def test_a_parser_of_another_mode_leaves_a_folder_as_it_is(
    judged: Command, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    judged()
    calls = len(server.seen)
    monkeypatch.setitem(cast("dict[str, int]", PARSER_VERSIONS), "tags", PARSER_VERSIONS["tags"] + 1)
    assert (judged().code, len(server.seen)) == (0, calls)


def test_the_cache_of_replies_outlives_a_parser(
    judged: Command, server: ProviderServer, earlier_parser: pytest.MonkeyPatch
):
    judged()
    earlier_parser.undo()
    server.seen.clear()
    judged("--out", "anew")
    unread = {"City2?", "City3?", "City12?"}
    assert {seen.text.split()[-1] for seen in server.seen} == unread
    cached = [row for row in verdicts_in("anew") if row.usage and row.usage.cached]
    assert len(cached) == 20 - len(unread)


def test_verdicts_without_a_stored_reply_are_counted_and_left(
    judged: Command, prompt: Path, server: ProviderServer
):
    answer = server.script
    server.script = lambda seen: (
        Status(400) if "City4?" in seen.text else Answer(None) if "City5?" in seen.text else answer(seen)
    )
    judged()
    before = rows()
    prompt.write_text(PROMPT.replace("PICK", "last"))
    result = fiducial("judge", "--reparse", "run")
    told = (
        "mine/custom@m: 18 replies read again, 2 verdicts changed; 2 without a stored reply, left as they are"
    )
    assert (result.code, told in result.out) == (3, True)
    for case in ("case-4", "case-5"):
        assert said(rows()[case]) == said(before[case])
        assert rows()[case].judge == rows()["case-6"].judge != before[case].judge


def test_it_is_written_down(judged: Command, prompt: Path):
    judged()
    prompt.write_text(PROMPT.replace("PICK", "last"))
    fiducial("judge", "--reparse", "run")
    (record,) = manifest()["reparsed"]
    (entry,) = record["judges"]
    assert (entry["by"], entry["replies"], entry["changed"]) == ("mine/custom@m", 20, 2)
    (known,) = manifest()["roster"]
    assert (known["by"], known["id"]["fingerprint"]) == ("mine/custom@m", entry["after"])
    assert entry["before"] != entry["after"]


@pytest.mark.attack("adversity")
def test_a_kill_before_the_manifest_was_written_leaves_what_can_be_read_again(
    judged: Command, prompt: Path, server: ProviderServer
):
    judged("--repeats", "2", "--jury", "mean")
    before = json.loads(Path("run/run.json").read_text())
    del before[
        "journals"
    ]  # taken off before the verdicts are written anew, so that a kill is no change by hand
    prompt.write_text(PROMPT.replace("PICK", "last"))
    fiducial("judge", "--reparse", "run")
    found = verdicts_in("run")
    Path("run/run.json").write_text(json.dumps(before))
    fiducial("judge", "--reparse", "run")
    assert verdicts_in("run") == found
    calls = len(server.seen)
    assert (judged("--repeats", "2", "--jury", "mean").code, len(server.seen)) == (0, calls)


def test_juries_are_counted_again(judged: Command, prompt: Path, tmp_path: Path):
    judged("--repeats", "2", "--jury", "mean")
    by = "jury/mean-of-2@mine/custom@m"
    prompt.write_text(PROMPT.replace("PICK", "last"))
    fiducial("judge", "--reparse", "run")
    counted = [row for row in verdicts_in(tmp_path / "run") if row.by == by]
    assert (len(counted), sum(row.graded for row in counted)) == (20, 18)


def test_reading_again_what_did_not_change_changes_nothing(judged: Command):
    judged()
    before = Path("run/verdicts.jsonl").read_bytes()
    result = fiducial("judge", "--reparse", "run")
    assert "20 replies read again, 0 verdicts changed" in result.out
    assert Path("run/verdicts.jsonl").read_bytes() == before


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    result = fiducial("judge", "--reparse", "empty")
    assert (result.code, "not a run folder" in result.err) == (2, True)


def test_outputs_that_changed_since_the_run_are_refused(judged: Command, inputs: tuple[Path, Path]):
    judged()
    text = inputs[1].read_text()
    inputs[1].write_text(text.replace("Atlantis", "Rome"))
    result = fiducial("judge", "--reparse", "run")
    assert (result.code, "changed since the run" in result.err) == (2, True)
