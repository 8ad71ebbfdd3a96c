"""`fiducial run --generate`: both phases in one run folder."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from command import Result, fiducial
from generating import weather_case
from provider_server import Answer, ProviderServer, Response, Seen, Status, in_the_form_asked_for

from fiducial.records import Case, Output, read_records, write_records

JUDGED = in_the_form_asked_for()


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    question = Case(
        id="open",
        kind="open_answer",
        messages=[{"role": "user", "content": "Say hello."}],
        reference={"criterion": "It is a greeting."},
    )
    write_records(path, [*(weather_case(name) for name in "abc"), question])
    return path


def both(seen: Seen) -> Response:
    """The model under test calls and greets; the judge judges."""
    if seen.body["model"] == "judge":
        return JUDGED(seen)
    if "tools" not in seen.body:
        return Answer("Hello!")
    city = seen.text.removeprefix("How is the weather in ").removesuffix("?")
    return Answer(None, calls=[("weather_now", json.dumps({"city": city}))])


def run(cases: Path, server: ProviderServer, *more: str) -> Result:
    return fiducial(
        *("run", cases, "--generate", "m", "--judge", "rubric", "--model", "judge"),
        *("--base-url", server.base_url, "--out", "run", *more),
    )


def rows(result: Result) -> dict[str, list[str]]:
    """Return the rows of the table of rates: rate, interval, n and ungraded."""
    split = (line.split("|", 1) for line in result.out.splitlines() if "|" in line)
    return {name.strip(): rest.split()[-5:] for name, rest in split}


def test_outputs_are_produced_checked_judged_and_reported(cases: Path, server: ProviderServer):
    server.script = both
    result = run(cases, server)
    assert result.code == 0, result.err
    assert "m: 4 of 4 outputs, 4 generated now" in result.out
    assert "m: 1.00 [0.51, 1.00] of 4 outputs pass, judged ones uncorrected." in result.out
    assert rows(result)["checked outputs"] == ["1.00", "[0.44,", "1.00]", "3", "0"]
    assert "rubric/" in result.out
    assert Path("run/report.html").exists()
    assert {output.case_id for output in read_records(Path("run/outputs.jsonl"), Output)} == {
        "a",
        "b",
        "c",
        "open",
    }


def test_the_same_command_goes_on_with_what_failed(cases: Path, server: ProviderServer):
    server.script = lambda seen: Status(400) if "in a?" in seen.text else both(seen)
    first = run(cases, server)
    assert first.code == 3
    assert "m: 3 of 4 outputs" in first.out
    assert rows(first)["all outputs*"] == ["1.00", "[0.44,", "1.00]", "3", "1"]
    server.script = both
    asked = len(server.seen)
    second = run(cases, server)
    assert second.code == 0, second.err
    assert "m: 4 of 4 outputs, 1 generated now" in second.out
    assert rows(second)["all outputs*"] == ["1.00", "[0.51,", "1.00]", "4", "0"]
    assert len([seen for seen in server.seen[asked:] if seen.body["model"] == "m"]) == 1


def test_told_nothing_a_run_says_nothing_of_its_outputs_either(cases: Path, server: ProviderServer):
    server.script = both
    result = run(cases, server, "--quiet")
    assert (result.code, result.out) == (0, "")


def test_where_every_call_fails_there_is_nothing_to_evaluate(cases: Path, server: ProviderServer):
    server.script = lambda _seen: Status(404)
    result = run(cases, server)
    assert result.code == 3
    assert "HTTP 404" in result.out
    assert not Path("run/report.html").exists()


def test_a_run_of_another_model_is_another_run(cases: Path, server: ProviderServer):
    server.script = both
    run(cases, server)
    result = run(cases, server, "--generate", "other")
    assert result.code == 2
    assert "run: holds outputs of 'm', not 'other'; use another --out, or delete it" in result.err


def test_the_model_may_be_elsewhere_than_the_judge(cases: Path, server: ProviderServer):
    server.script = both
    with ProviderServer(both) as other:
        assert run(cases, server, "--generate-base-url", other.base_url).code == 0
        assert {seen.body["model"] for seen in other.seen} == {"m"}
    assert {seen.body["model"] for seen in server.seen} == {"judge"}


@pytest.mark.attack("keys and transport")
def test_the_judges_key_is_not_sent_to_the_models_server(
    cases: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    monkeypatch.setenv("JUDGES_KEY", "judges")
    monkeypatch.setenv("MODELS_KEY", "models")
    server.script = both
    with ProviderServer(both) as other:
        elsewhere = ("--api-key-env", "JUDGES_KEY", "--generate-base-url")
        assert run(cases, server, *elsewhere, other.base_url).code == 0
        assert {seen.headers["authorization"] for seen in other.seen} == {"Bearer of-the-environment"}
        Path("run").rename("first")
        asked = len(other.seen)
        own = (f"{other.base_url},key-env=MODELS_KEY", "--no-cache")
        assert run(cases, server, *elsewhere, *own).code == 0
        assert {seen.headers["authorization"] for seen in other.seen[asked:]} == {"Bearer models"}
    assert {seen.headers["authorization"] for seen in server.seen} == {"Bearer judges"}


@pytest.mark.attack("adversity")
def test_a_killed_generation_is_gone_on_with(cases: Path, server: ProviderServer):
    server.script = both
    run(cases, server)
    path = Path("run/outputs.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    Path("run/report.html").unlink()
    result = run(cases, server)
    assert result.code == 0, result.err
    assert "4 of 4 outputs, 1 generated now" in result.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "name outputs with --outputs FILE"),
        (["--generate", "m", "--agent", "cat"], "a model and an agent exclude each other"),
        (["--outputs", "cases.jsonl", "--trials", "3"], "--trials is for generating outputs; add --generate"),
        (["--outputs", "cases.jsonl", "--again"], "--again is for generating outputs; add --generate"),
        (["--generate", "m", "--keep-crashes"], "--keep-crashes is for commands (--agent)"),
        (["--agent", "cat", "--mode", "prompt"], "--mode is for models; drop it for a command"),
        (["--agent", "no-such-program"], "--agent: no such command: 'no-such-program'"),
        (["--agent", "echo {task}"], "--agent: {task} is filled in by `fiducial artifacts run`; here"),
    ],
)
def test_bad_options_are_one_line(cases: Path, more: list[str], said: str):
    result = fiducial("run", cases, "--out", "run", *more)
    assert result.code == 2
    assert said in result.err
    assert result.err.count("\n") == 1


PLACES = [
    *product(
        ("outputs.jsonl", "outputs.attempts.jsonl", "outputs.generation.json"), ("link", "pipe", "folder")
    ),
    *product((".outputs.jsonl.lock",), ("link", "folder")),
]


@pytest.mark.attack("run folders and files")
def test_what_stands_in_place_of_a_file_of_the_generation_is_refused_and_left_alone(cases: Path):
    asked = ("run", cases, "--agent", """echo '{"text": "Rome"}'""", "--out", "run")
    fiducial(*asked)
    made, thesis = Path("run").rename("made"), Path("thesis.txt")
    thesis.write_text("years of work")
    taken: list[tuple[str, str, Result]] = []
    for name, kind in PLACES:
        place = Path(shutil.copytree(made, "run")) / name
        place.unlink(missing_ok=True)
        put = {
            "link": partial(place.symlink_to, thesis.absolute()),
            "pipe": partial(os.mkfifo, place),
            "folder": place.mkdir,
        }
        put[kind]()
        result = fiducial(*asked)
        told = any(reason in result.err for reason in ("regular file", "cannot be written"))
        if (result.code, told, thesis.read_text()) != (2, True, "years of work"):
            taken.append((name, kind, result))
        shutil.rmtree("run")
    assert not taken


@pytest.mark.attack("run folders and files")
def test_an_output_that_was_changed_by_hand_ends_the_run(tmp_path: Path):
    cases = tmp_path / "cases.jsonl"
    write_records(cases, [Case(id="a", kind="memory_answer", reference={"answers": ["Rome"]})])
    asked = ("run", cases, "--agent", """echo '{"text": "Rome"}'""", "--out", tmp_path / "run")
    fiducial(*asked)
    outputs = tmp_path / "run" / "outputs.jsonl"
    outputs.write_text(outputs.read_text().replace("Rome", "Oslo"))
    for more in ((), ("--accept-edited",)):  # verdicts are of what it was
        result = fiducial(*asked, *more)
        assert result.code == 2
        assert (
            "outputs.jsonl:1: changed by hand since it was made; its verdicts are on the old text"
            in result.err
        )
    assert "has changed since" in fiducial("report", tmp_path / "run").err


def test_verdicts_that_were_changed_by_hand_can_be_accepted(cases: Path, server: ProviderServer):
    server.script = both
    run(cases, server)
    verdicts = Path("run/verdicts.jsonl")
    verdicts.write_text(verdicts.read_text("utf-8").replace('"because', '"why', 1), "utf-8")
    assert "--accept-edited" in run(cases, server).err
    assert run(cases, server, "--accept-edited").code == 0
