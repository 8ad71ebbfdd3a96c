"""Commands whose inputs and run folders are in an object store."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Result, fiducial

from fiducial.evaluation.store import copies

BUCKET = "memory://bucket"


@pytest.fixture(autouse=True)
def bucket(
    inputs: tuple[Path, Path], objects_in_memory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    """Return a store with cases, and outputs in one file and in two shards.

    This machine's cache holds nothing of it.
    """
    monkeypatch.setattr(copies, "_copies", {})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("FIDUCIAL_TRUST_CONFIG", raising=False)
    cases, outputs = (file.read_bytes() for file in inputs)
    lines = outputs.splitlines(keepends=True)
    objects_in_memory.pipe(
        {
            "/bucket/in/cases.jsonl": cases,
            "/bucket/in/outputs.jsonl": outputs,
            "/bucket/in/shards/0.jsonl": b"".join(lines[:7]),
            "/bucket/in/shards/1.jsonl": b"".join(lines[7:]),
        }
    )
    for file in inputs:
        file.unlink()
    return objects_in_memory


def run(out: str = f"{BUCKET}/run", outputs: str = "outputs.jsonl", *more: str) -> Result:
    return fiducial(
        "run", f"{BUCKET}/in/cases.jsonl", "--outputs", f"{BUCKET}/in/{outputs}", "--out", out, *more
    )


def another_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str = "other") -> None:
    monkeypatch.setattr(copies, "_copies", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))


def names(bucket: Any, folder: str = "run") -> set[str]:
    return {name.removeprefix(f"/bucket/{folder}/") for name in bucket.find(f"/bucket/{folder}")}


def test_a_run_reads_and_is_kept_in_a_store(bucket: Any, tmp_path: Path):
    done = run()
    assert done.code == 0, done.err
    assert f"report: {BUCKET}/run/report.html" in done.out
    assert str(tmp_path) not in done.out + done.err
    assert names(bucket) == {"run.json", "verdicts.jsonl", "clusters.json", "report.html"}
    manifest = json.loads(bucket.cat("/bucket/run/run.json"))
    assert [each["name"] for each in manifest["inputs"]] == [
        f"{BUCKET}/in/cases.jsonl",
        f"{BUCKET}/in/outputs.jsonl",
    ]


def test_it_gives_the_numbers_that_it_gives_on_a_disk(bucket: Any, tmp_path: Path):
    assert run().code == 0
    assert run(str(tmp_path / "here")).code == 0
    here = (tmp_path / "here" / "verdicts.jsonl").read_bytes()
    assert bucket.cat("/bucket/run/verdicts.jsonl") == here


def test_the_same_command_has_nothing_to_do_on_another_machine(
    bucket: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    first = run()
    before = {name: bucket.cat(f"/bucket/run/{name}") for name in names(bucket)}
    another_machine(monkeypatch, tmp_path)
    again = run()
    assert (again.code, again.out) == (0, first.out)
    assert "to do" not in again.err
    assert {name: bucket.cat(f"/bucket/run/{name}") for name in names(bucket)} == before


@pytest.mark.parametrize("outputs", ["shards", "shards/", "shards/*.jsonl"])
def test_shards_are_a_folder_or_a_pattern(bucket: Any, outputs: str):
    done = run(outputs=outputs)
    assert done.code == 0, done.err
    inputs = json.loads(bucket.cat("/bucket/run/run.json"))["inputs"]
    assert [input_["name"] for input_ in inputs[1:]] == [f"{BUCKET}/in/shards/{n}.jsonl" for n in range(2)]
    assert bucket.cat("/bucket/run/verdicts.jsonl").count(b"\n") == 20


def test_the_report_of_a_run_is_made_where_its_inputs_never_were(
    bucket: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assert run().code == 0
    another_machine(monkeypatch, tmp_path)
    (tmp_path / "cache").rename(tmp_path / "gone")
    made = fiducial("report", f"{BUCKET}/run", "--html", tmp_path / "page.html")
    assert made.code == 0, made.err
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_an_input_in_another_store_is_not_fetched_because_a_manifest_says_so(
    bucket: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assert run().code == 0
    manifest = bucket.cat("/bucket/run/run.json").replace(b"memory://bucket/in/", b"memory://strange/in/")
    bucket.pipe("/bucket/run/run.json", manifest)
    bucket.pipe("/strange/in/cases.jsonl", bucket.cat("/bucket/in/cases.jsonl"))
    another_machine(monkeypatch, tmp_path)
    (tmp_path / "cache").rename(tmp_path / "gone")
    made = fiducial("report", f"{BUCKET}/run", "--html", tmp_path / "page.html")
    assert made.code == 2
    assert "is missing; restore it" in made.err


def test_two_runs_are_compared_and_merged_by_address(bucket: Any):
    lines = bucket.cat("/bucket/in/outputs.jsonl").splitlines(keepends=True)
    cases = bucket.cat("/bucket/in/cases.jsonl").splitlines(keepends=True)
    for part in range(2):
        bucket.pipe(f"/bucket/part-{part}/cases.jsonl", b"".join(cases[part::2]))
        bucket.pipe(f"/bucket/part-{part}/outputs.jsonl", b"".join(lines[part::2]))
        place = f"{BUCKET}/part-{part}"
        done = fiducial(
            "run", f"{place}/cases.jsonl", outputs=f"{place}/outputs.jsonl", out=f"{BUCKET}/run-{part}"
        )
        assert done.code == 0, done.err
    merged = fiducial("merge", f"{BUCKET}/run-0", f"{BUCKET}/run-1", "--out", f"{BUCKET}/whole")
    assert merged.code == 0, merged.err
    assert "on 20" not in merged.err
    assert {"run.json", "report.html"} <= names(bucket, "whole")
    compared = fiducial("report", f"{BUCKET}/run-0", f"{BUCKET}/whole")
    assert compared.code == 0, compared.err


def test_tables_labels_and_other_tools_files_are_read_by_address(bucket: Any, tmp_path: Path):
    rows = b"item_id,judge,score,label\n" + b"".join(b"%d,j,%d,1\n" % (n, n % 2) for n in range(30))
    bucket.pipe("/bucket/table.csv", rows)
    calibrated = fiducial("calibrate", f"{BUCKET}/table.csv")
    assert calibrated.code == 0, calibrated.err
    chat = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
    bucket.pipe("/bucket/chats.jsonl", json.dumps(chat).encode() + b"\n")
    imported = fiducial("import", "openai", f"{BUCKET}/chats.jsonl", "--out", tmp_path / "chats")
    assert imported.code == 0, imported.err
    assert (tmp_path / "chats" / "cases.jsonl").exists()


def test_a_line_that_is_wrong_is_named_by_its_address(bucket: Any):
    bucket.pipe("/bucket/in/outputs.jsonl", b'{"case_id": "case-0"}\n')
    done = run()
    assert done.code == 2
    assert f"{BUCKET}/in/outputs.jsonl:1: " in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["check", "{b}/in/cases.jsonl", "--outputs", "{b}/in/outputs.jsonl", "--out", "{b}/v"],
            "only inputs and",
        ),
        (["calibrate", "{b}/none.csv"], "there is no such object or folder"),
        (["report", "{b}/none"], "not a run folder"),
        (["calibrate", "{b}/in/*/x.csv"], "a pattern is for names in one folder"),
        (["run", "https://h/c", "--outputs", "https://h/o", "--out", "y"], "web addresses are not read"),
        (["calibrate", "{b}/in/outputs.jsonl", "--json", "{b}/x.json"], "memory://bucket"),
    ],
)
def test_what_cannot_be_done_by_address_is_one_line(arguments: list[str], said: str, tmp_path: Path):
    done = fiducial(*(argument.format(b=BUCKET) for argument in arguments))
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "memory:").exists()


def test_credentials_are_nowhere_to_be_found(bucket: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        type(bucket),
        "_strip_protocol",
        classmethod(lambda _, path: path.replace("memory://", "/").replace("key:secret@", "")),
    )
    place = "memory://key:secret@bucket"
    done = fiducial("run", f"{place}/in/cases.jsonl", outputs=f"{place}/in/outputs.jsonl", out=f"{place}/run")
    assert done.code == 0, done.err
    kept = b"".join(bucket.cat(name) for name in bucket.find("/bucket/run"))
    assert b"secret" not in kept
    assert "secret" not in done.out + done.err
    assert b"memory://***@bucket/in/cases.jsonl" in kept
    failed = fiducial("report", f"{place}/none")
    assert failed.code == 2
    assert "secret" not in failed.err


def test_workspaces_are_not_looked_for_where_a_file_was_fetched_alone(bucket: Any):
    case = json.loads(bucket.cat("/bucket/in/cases.jsonl").splitlines()[0])
    output = {"case_id": case["id"], "system": "s", "workspace": "work"}
    bucket.pipe("/bucket/in/outputs.jsonl", json.dumps(output).encode() + b"\n")
    done = run()
    assert done.code == 2
    assert "a workspace is not fetched with a file; name the folder" in done.err


def test_an_address_in_a_settings_file_needs_trust(bucket: Any, tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text(f'[run]\nlabels = "{BUCKET}/labels.jsonl"\n')
    done = run()
    assert done.code == 2
    assert "[run] labels: not taken from this file" in done.err
    assert "there is no such object" in run(f"{BUCKET}/run", "outputs.jsonl", "--trust-config").err


def test_work_that_was_set_aside_is_told(bucket: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert run().code == 0
    (copy,) = copies._copies.values()
    (copy.folder / "notes.txt").write_text("never put")
    another_machine(monkeypatch, tmp_path)
    assert fiducial("report", f"{BUCKET}/run").code == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(copies, "_copies", {})
    done = run()
    assert done.code == 0
    assert "another machine continued this run; work done only here is in" in done.err
    (aside,) = copy.place.glob("set-aside-*")
    assert (aside / "notes.txt").read_text() == "never put"
