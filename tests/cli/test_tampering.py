"""Run folders edited by hand: tampering is reported, and nothing outside is written."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import Command, Result, fiducial

from fiducial.records import Source, Verdict, decode_record, encode_record, read_records

pytestmark = pytest.mark.attack("run folders and files")

VERDICTS = Path("run/verdicts.jsonl")


def run_of(inputs: tuple[Path, Path], *more: str | Path) -> Result:
    """Run `fiducial run` with the baseline judge into ``run``."""
    cases, outputs = inputs
    judge = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
    return fiducial("run", cases, "--outputs", outputs, *judge, "--out", "run", *more)


@pytest.fixture(scope="module")
def finished_run(same_inputs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of that run, which nobody changes."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert run_of(same_inputs).code == 0
    return folder / "run"


@pytest.fixture
def run(same_inputs: tuple[Path, Path], finished_run: Path) -> Command:
    """Return a function that goes on with that run, of which a copy is in ``run``, beside its labels."""
    shutil.copytree(finished_run, "run")
    label = Verdict(case_id="case-1", system="agent", by="ada", source="human", outcome="graded", score=1.0)
    Path("labels.jsonl").write_bytes(encode_record(label))
    Path("grades.csv").write_text("id,label\ncase-1,1\n")
    return partial(run_of, same_inputs)


def changed(change: Callable[[str], str]) -> None:
    VERDICTS.write_text(change(VERDICTS.read_text()))


def flipped(text: str) -> str:
    """The first score of a judge turned around, which no checker could say anything of."""
    before, judge, after = text.partition('"source":"judge"')
    score, other = ("1.0", "0.0") if '"score":1.0' in after.partition("\n")[0] else ("0.0", "1.0")
    return before + judge + after.replace(f'"score":{score}', f'"score":{other}', 1)


def dict_of(line: bytes) -> dict[str, Any]:
    return decode_record(line, dict[str, Any])


def unsealed() -> None:
    """Take the seals off, as whoever knows of them would."""
    manifest = json.loads(Path("run/run.json").read_text())
    del manifest["journals"]
    Path("run/run.json").write_text(json.dumps(manifest))


def test_what_was_changed_by_hand_ends_run_and_calibrate_unless_that_is_accepted(run: Command):
    run()
    changed(flipped)
    before = VERDICTS.read_bytes()
    commands: list[Command] = [run, lambda: fiducial("calibrate", "run")]
    for command in commands:
        result = command()
        assert (result.code, len(result.err.splitlines())) == (2, 1), result.err
        assert re.search(
            r"verdicts\.jsonl:\d+: changed by hand since the run wrote it; --accept-edited accepts",
            result.err,
        )
        assert VERDICTS.read_bytes() == before
    assert fiducial("calibrate", "run", "--accept-edited").code == 0
    assert run("--accept-edited").code == 0
    assert run().code == 0  # it is the run's own from now on


@pytest.mark.parametrize("command", ["compare", "estimate"])
def test_whatever_is_computed_from_a_run_refuses_it(run: Command, command: str):
    run()
    changed(flipped)
    assert "changed by hand" in fiducial(command, "run").err
    assert "changed by hand" not in fiducial(command, "run", "--accept-edited").err


READERS = {
    "report": ("report", "run"),
    "review": ("review", "run", "--sample", "decided", "--n", "3"),
    "export": ("export", "run", "--to", "csv", "--out", "exported.csv"),
}


@pytest.mark.parametrize("change", ["flipped", "added", "cut"])
def test_every_reader_refuses_it_and_names_the_line(run: Command, change: str):
    run()
    lines = VERDICTS.read_text().splitlines(keepends=True)
    unknown = lines[0].replace('"case_id":"', '"case_id":"another-', 1)
    changes: dict[str, tuple[Callable[[str], str], str]] = {
        "flipped": (flipped, r":\d+(-\d+)?: changed by hand"),
        "added": (lambda text: text + unknown, rf":{len(lines) + 1}: added after the run had ended"),
        "cut": (lambda text: "".join(lines[:-1]), ": shorter than when the run ended"),
    }
    how, reason = changes[change]
    changed(how)
    for reader in READERS.values():
        result = fiducial(*reader)
        assert (result.code, len(result.err.splitlines())) == (2, 1), (reader, result.err)
        assert re.search(rf"verdicts\.jsonl{reason}", result.err), reader
    if change == "flipped":
        assert [fiducial(*reader, "--accept-edited").code for reader in READERS.values()] == [0] * len(
            READERS
        )


def test_commands_without_the_option_name_one_that_has_it(run: Command):
    commands = (
        ("labels", "export", "run", "--out", "patch.jsonl"),
        ("rubrics", "run"),
        ("merge", "run", "--out", "merged"),
    )
    run()
    changed(flipped)
    for command in commands:
        result = fiducial(*command)
        assert result.code == 2, command
        assert "; to keep the edit, rerun the run's command with --accept-edited" in result.err, command
    assert run("--accept-edited").code == 0
    for command in commands:
        assert "changed by hand" not in fiducial(*command).err, command


def test_a_page_about_it_says_so(run: Command):
    run()
    assert "changed by hand" not in Path("run/report.html").read_text()
    changed(flipped)
    assert fiducial("report", "run", "--accept-edited").code == 0
    assert "changed by hand since the run wrote it" in Path("run/report.html").read_text()
    assert fiducial("review", "run", "--sample", "decided", "--n", "3", "--accept-edited").code == 0
    assert "changed by hand since the run wrote it" in Path("run/review-decided.html").read_text()


@pytest.mark.parametrize("marks", [[[-1, "x"]], [[0, "x"]], [[512, "x"], [256, "y"]], [[1 << 40, "x"]]])
def test_marks_that_nobody_comes_to_are_refused(run: Command, marks: list[list[object]]):
    run()
    manifest = json.loads(Path("run/run.json").read_text())
    manifest["journals"]["verdicts.jsonl"]["marks"] = marks
    Path("run/run.json").write_text(json.dumps(manifest))
    for command in (READERS["report"], ("calibrate", "run")):
        result = fiducial(*command)
        assert (result.code, len(result.err.splitlines())) == (2, 1), result.err
        assert "expected ascending marks" in result.err


@pytest.mark.parametrize("named", ["/dev/zero", "/dev/urandom", "pipe"])
def test_a_manifest_that_names_a_device_or_a_pipe_keeps_nobody_waiting(run: Command, named: str):
    run()
    os.mkfifo("pipe")
    manifest = json.loads(Path("run/run.json").read_text())
    manifest["inputs"] = [{**each, "path": str(Path(named).absolute())} for each in manifest["inputs"]]
    Path("run/run.json").write_text(json.dumps(manifest))
    for reader in READERS.values():
        result = fiducial(*reader)
        assert (result.code, len(result.err.splitlines())) == (2, 1), (reader, result.err)
        assert "expected a file" in result.err, reader


def test_a_verdict_on_an_unknown_output_ends_the_page_with_its_line(run: Command):
    run()
    changed(lambda text: text.replace('"case_id":"', '"case_id":"another-'))
    unsealed()
    result = fiducial("review", "run", "--sample", "decided", "--n", "1000")
    assert (result.code, len(result.err.splitlines())) == (2, 1), result.err
    assert re.search(r"verdicts\.jsonl:\d+: case_id: no case has the id 'another-", result.err)


EVERY_READER = {
    **READERS,
    "export, junit": ("export", "run", "--to", "junit", "--out", "exported.xml"),
    "report of two": ("report", "untouched", "run"),
    "calibrate": ("calibrate", "run"),
    "estimate": ("estimate", "run"),
    "compare": ("compare", "run"),
    "trials": ("trials", "run"),
    "plan": ("plan", "run", "--next", "2"),
    "merge": ("merge", "run", "untouched", "--out", "merged"),
    "certify": ("audit", "certify", "run", "--claim", "accuracy=0.01", "--out", "certificate.json"),
    "rubrics": ("rubrics", "run"),
    "improve": ("improve", "run", "--prompt", "tool_call_accuracy", "--model", "m", "--out", "better"),
    "labels add": ("labels", "add", "run", "grades.csv"),
    "labels export": ("labels", "export", "run", "--out", "patch.jsonl"),
    "review --add": ("review", "run", "--add", "labels.jsonl"),
    "reparse": ("judge", "--reparse", "run"),
}


@pytest.mark.parametrize(
    ("field", "other", "message"),
    [
        ("case_id", "unknown", "case_id: no case has the id 'unknown'"),
        ("system", "unknown", "system: no output is of 'unknown'"),
        ("trial", 7, "'agent' has no output for case 'case-0', trial 7"),
    ],
)
def test_without_seals_a_verdict_on_an_unknown_item_is_refused_by_every_reader(
    run: Command, field: str, other: object, message: str
):
    run()
    shutil.copytree("run", "untouched")
    unsealed()
    lines = VERDICTS.read_bytes().splitlines(keepends=True)
    row = next(each for each in map(dict_of, lines) if each["source"] == "judge")
    VERDICTS.write_bytes(b"".join([*lines, encode_record({**row, field: other})]))
    for reader in EVERY_READER.values():
        result = fiducial(*reader)
        assert (result.code, len(result.err.splitlines())) == (2, 1), (reader, result.err)
        assert f"run/verdicts.jsonl:{len(lines) + 1}: {message}" in result.err, reader
    assert not Path("certificate.json").exists()


def test_every_other_reader_refuses_a_flipped_verdict_too(run: Command):
    run()
    shutil.copytree("run", "untouched")
    changed(flipped)
    for reader in (each for name, each in EVERY_READER.items() if name not in READERS):
        result = fiducial(*reader)
        assert (result.code, "changed by hand" in result.err) == (2, True), (reader, result.err)


def another_source(text: str) -> str:
    return text.replace('"source":"judge"', '"source":"checker"', 1)


def without_its_first_row(text: str) -> str:
    return text.partition("\n")[2]


def with_a_blank_line(text: str) -> str:
    return text.replace("\n", "\n\n", 1)


def backwards(text: str) -> str:
    return "".join(reversed(text.splitlines(keepends=True)))


@pytest.mark.parametrize("change", [another_source, without_its_first_row, with_a_blank_line, backwards])
def test_it_is_seen_whatever_was_changed(run: Command, change: Callable[[str], str]):
    run()
    changed(change)
    result = run()
    assert result.code == 2
    assert "verdicts.jsonl" in result.err


def test_rows_that_a_kill_left_behind_the_seal_or_took_from_its_end_are_no_change_by_hand(run: Command):
    run()
    whole = VERDICTS.read_bytes()
    lines = whole.splitlines(keepends=True)
    for kept in (0, 1, len(lines) - 1):
        VERDICTS.write_bytes(b"".join(lines[:kept]))
        assert run().code == 0
        assert sorted(VERDICTS.read_bytes().splitlines()) == sorted(whole.splitlines())
    manifest = Path("run/run.json").read_bytes()
    VERDICTS.write_bytes(b"".join(lines[:10]))
    assert run().code == 0
    Path("run/run.json").write_bytes(manifest)  # of which a kill keeps the one before
    assert run().code == 0


def test_a_score_that_was_changed_in_what_a_cut_left_is_seen(run: Command):
    run()
    lines = VERDICTS.read_text().splitlines(keepends=True)
    VERDICTS.write_text(flipped("".join(lines[:-2])))  # of which 20 rows are of the judge
    assert "changed by hand" in run().err


def test_500_copies_of_a_line_are_refused_with_file_and_line(run: Command):
    run()
    unsealed()
    line = VERDICTS.read_bytes().splitlines(keepends=True)[0]
    VERDICTS.write_bytes(VERDICTS.read_bytes() + line * 500)
    rows = len(list(read_records(VERDICTS, Verdict))) - 500
    for command in (run, lambda: fiducial("calibrate", "run"), lambda: fiducial("report", "run")):
        result = command()
        assert (result.code, len(result.err.splitlines())) == (2, 1)
        assert (
            f"run/verdicts.jsonl:{rows + 1}: a second verdict of ast/strict on case-0|agent|0" in result.err
        )


@pytest.mark.parametrize(
    ("field", "other", "message"),
    [
        ("case_id", "other", "case_id: no case has the id 'other'"),
        ("system", "other", "system: no output is of 'other'"),
        ("trial", 7, "'agent' has no output for case 'case-4', trial 7"),
    ],
)
def test_what_the_run_is_not_about_is_refused_with_file_and_line(
    run: Command, field: str, other: object, message: str
):
    run()
    unsealed()
    lines = VERDICTS.read_bytes().splitlines(keepends=True)
    row = decode_record(lines[4], dict[str, object])
    VERDICTS.write_bytes(b"".join([*lines, encode_record({**row, field: other})]))
    result = run()
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert f"run/verdicts.jsonl:{len(lines) + 1}: {message}" in result.err


def test_scores_that_were_changed_with_their_seal_are_found_by_checking_again(run: Command):
    run()
    changed(
        lambda text: re.sub(
            r'"outcome":"graded","score":0.0,"error_type":"[^"]*"', '"outcome":"graded","score":1.0', text
        )
    )
    unsealed()
    for command in (run, lambda: fiducial("calibrate", "run")):
        result = command()
        assert (result.code, len(result.err.splitlines())) == (2, 1)
        assert re.search(
            r"verdicts\.jsonl:\d+: ast/strict says 1 here, and 0 \(.*\) when it checks this output again",
            result.err,
        )
    assert run("--accept-edited").code == 0


@pytest.mark.parametrize(
    "name",
    [
        "verdicts.jsonl",
        "run.json",
        "labels.jsonl",
        "clusters.json",
        "calibration.json",
        "report.html",
        ".lock",
    ],
)
def test_a_link_in_a_run_folder_is_not_followed(run: Command, name: str):
    run()
    Path("labels.jsonl").write_bytes(
        encode_record(
            Verdict(case_id="case-0", system="agent", by="ada", source="human", outcome="graded", score=1.0)
        )
    )
    path, thesis = Path("run") / name, Path("thesis.txt")
    # A link to what could be read is refused for being a link.
    work = path.read_bytes() if path.exists() else b"years of work, and no newline at its end"
    thesis.write_bytes(work)
    path.unlink(missing_ok=True)
    path.symlink_to(thesis.resolve())
    commands: list[Command] = [
        run,
        lambda: run("--labels", "labels.jsonl"),
        lambda: fiducial("calibrate", "run"),
        lambda: fiducial("report", "run"),
    ]
    codes = [command().code for command in commands]
    assert thesis.read_bytes() == work
    # What a run does not read but writes anew takes the place of the link.
    assert 2 in codes or not path.is_symlink()
    assert name not in {"verdicts.jsonl", "run.json"} or set(codes) == {2}


def test_a_pipe_in_a_run_folder_keeps_nobody_waiting(run: Command):
    run()
    VERDICTS.unlink()
    os.mkfifo(VERDICTS)
    for command in (run, lambda: fiducial("calibrate", "run")):
        result = command()
        assert (result.code, "not a regular file" in result.err) == (2, True)


def test_a_file_that_is_not_ours_is_neither_cut_nor_written_to(run: Command):
    run()
    for text in ("one line and a torn", "a whole line\nand a torn", "{}\n"):
        VERDICTS.write_text(text)
        assert run().code == 2
        assert VERDICTS.read_text() == text


def give_labels(*sources: Source) -> Path:
    """A labels file in which each of the first outputs is labelled by another source."""
    by = {"human": "ada", "checker": "ast/bfcl", "construction": "made"}
    labels = [
        Verdict(case_id=f"case-{n}", system="agent", by=by[said], source=said, outcome="graded", score=1.0)
        for n, said in enumerate(sources)
    ]
    path = Path("gold.jsonl")
    path.write_bytes(b"".join(map(encode_record, labels)))
    return path


def doubled(text: str) -> str:
    return text.replace('"score":1.0', '"score":0.0', 1)


def emptied(_text: str) -> str:
    return ""


def slower(text: str) -> str:
    return re.sub(r'"value": 0\.[0-9]+', '"value": 0.999', text, count=1)


@pytest.mark.parametrize("change", [doubled, without_its_first_row, emptied])
def test_labels_that_were_changed_by_hand_end_run_and_calibrate_unless_that_is_accepted(
    run: Command, change: Callable[[str], str]
):
    run("--labels", give_labels("human", "human"))
    labels = Path("run/labels.jsonl")
    labels.write_text(change(labels.read_text()))
    commands = [run, *(partial(fiducial, name, "run") for name in ("calibrate", "estimate", "compare"))]
    for command in commands:
        result = command()
        assert (result.code, len(result.err.splitlines())) == (2, 1), result.err
        assert "labels.jsonl: changed by hand since the run wrote it; --accept-edited accepts" in result.err
    assert fiducial("report", "run").code == 2
    assert fiducial("report", "run", "--accept-edited").code == 0
    assert "labels.jsonl was changed by hand" in Path("run/report.html").read_text()
    assert run("--accept-edited").code == 0
    assert run().code == 0  # they are the run's own from now on


def test_labels_that_were_taken_away_are_missed(run: Command):
    run("--labels", give_labels("human", "human"))
    Path("run/labels.jsonl").unlink()
    assert "labels.jsonl: changed by hand" in run().err


def test_labels_that_are_named_anew_or_added_on_the_page_are_no_change_by_hand(run: Command):
    run("--labels", give_labels("human", "human"))
    assert run("--labels", give_labels("human", "human", "human")).code == 0
    gold = give_labels("human", "human", "human", "human")
    assert fiducial("review", "run", "--add", gold).code == 0
    assert run().code == 0


def test_clusters_that_were_changed_by_hand_end_what_computes_with_them(run: Command):
    run()
    clusters = Path("run/clusters.json")
    clusters.write_text(clusters.read_text().replace("cluster-1", "cluster-0"))
    assert "clusters.json: changed by hand" in fiducial("calibrate", "run").err
    assert fiducial("calibrate", "run", "--accept-edited").code == 0
    assert run().code == 0  # which writes them anew
    assert fiducial("calibrate", "run").code == 0


def test_a_calibration_that_was_changed_by_hand_is_told_on_the_page_and_made_anew_by_the_run(run: Command):
    run()
    calibration = Path("run/calibration.json")
    before = calibration.read_text()
    calibration.write_text(slower(before))
    assert calibration.read_text() != before
    assert fiducial("report", "run", "--accept-edited").code == 0
    assert "calibration.json was changed by hand" in Path("run/report.html").read_text()
    assert run().code == 0
    assert calibration.read_text() == before


def test_labels_that_call_themselves_a_checkers_are_told_and_counted_apart_from_peoples(run: Command):
    gold = give_labels("human", "checker", "human", "checker", "checker", "construction")
    short = run("--labels", gold).out
    told = run("--labels", gold, "-v").out
    assert (
        "labels given: 2 of people, 3 claimed by a checker and not verified here, 1 by construction" in told
    )
    caution = "labels attributed to a checker, not verified here: ast/bfcl (3)"
    assert caution in " ".join(short.split())
    assert caution in told
    assert caution in fiducial("calibrate", "run").out
    Path("table.jsonl").write_text(
        "".join(
            f'{{"item_id": "case-{n}|agent|0", "judge": "{judge}", "score": {n % 2}}}\n'
            for n in range(20)
            for judge in "ab"
        )
    )
    for command in (("calibrate",), ("estimate", "--judge", "a"), ("compare",)):
        assert "ast/bfcl (3)" in fiducial(*command, "table.jsonl", "--labels", gold).out, command


def test_of_several_labels_of_an_output_the_last_says_who_labelled_it(run: Command):
    gold = give_labels("checker")
    again = decode_record(gold.read_bytes(), dict[str, object]) | {"by": "ada", "source": "human"}
    gold.write_bytes(gold.read_bytes() + encode_record(again))
    told = run("--labels", gold, "-v").out
    assert "labels given: 1 of people\n" in told
    assert "call themselves" not in told


def test_labels_of_nobody_are_refused_with_their_line(run: Command):
    run()
    gold = give_labels("human", "human")
    gold.write_text(gold.read_text().replace('"by":"ada"', '"by":""'))
    commands: list[Command] = [
        lambda: run("--labels", gold),
        lambda: fiducial("review", "run", "--add", gold),
    ]
    for command in commands:
        result = command()
        assert result.code == 2
        assert "gold.jsonl:1: by: expected the name of who labelled" in result.err
