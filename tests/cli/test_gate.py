"""The command that gates: exit codes and precedence, JSON, Markdown, files, help."""

from __future__ import annotations

import json
import shlex
import tempfile
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from command import fiducial
from each_row import each_row
from gated_replies import open_cases, replies

import fiducial as fd
from fiducial.cli.main import COMMANDS, cli


def verdicts(folder: Path, right: int, of: int = 40) -> Path:
    """Write grades of another tool, as an import has them."""
    folder.mkdir()
    fd.write_records(
        folder / "verdicts.jsonl",
        [
            fd.Verdict(case_id=f"c{n}", system="me", by="exact", source="checker", outcome="graded", score=float(n < right))
            for n in range(of)
        ],
    )  # fmt: skip
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    return verdicts(tmp_path / "before", 39), verdicts(tmp_path / "after", 20)


def gated(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["gate", *map(str, arguments)], standalone_mode=False)
    return (2 if done.exception else done.return_value), done.stdout


def test_exit_codes_are_those_of_the_answer(runs: tuple[Path, Path], tmp_path: Path):
    before, after = runs
    assert gated(before, after)[0] == 1
    assert gated(after, "--before", before)[0] == 1
    assert gated(before, before, "--max-drop", "0.2")[0] == 0
    assert gated(before, before)[0] == 4
    assert gated(before, before, "--cannot-tell", "pass")[0] == 0
    assert gated(before, before, "--cannot-tell", "fail")[0] == 1
    assert gated(before)[0] == 2
    assert gated(before, before, after)[0] == 2
    assert gated(tmp_path / "nothing", "--min", "overall=0.1")[0] == 2


def test_the_first_line_is_the_answer(runs: tuple[Path, Path]):
    lines = gated(*runs, "--max-drop", "0.02")[1].splitlines()
    assert lines[0].startswith("Fails: me: max drop 0.02: -0.4750 [")
    assert any("19 regressions: c20, c21" in line for line in lines)


@each_row(
    ("right", "limit", "answer"),
    [
        ({"a": 40, "b": 25}, ("--min", "overall=0.7"), "Cannot tell: b: "),
        ({"a": 38, "b": 40}, ("--min", "overall=0.5"), "Passes: a: "),
        ({"a": 12, "b": 8}, ("--min", "overall=0.7"), "Fails: b: "),
        ({"a": 40, "b": 39}, ("--no-new-failures", "risk=low"), "Fails: b: "),
        ({"a": 38, "b": 37}, ("--no-new-failures", "risk=high"), "Fails: b: "),
    ],
)
def test_the_worst_system_is_in_the_answer(
    tmp_path: Path, right: dict[str, int], limit: tuple[str, str], answer: str
):
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    fd.write_records(folder / "cases.jsonl", [fd.Case(**case) for case in open_cases(40)])
    fd.write_records(
        folder / "verdicts.jsonl",
        [
            fd.Verdict(case_id=f"c{n:02}", system=system, by="exact", source="checker", outcome="graded", score=float(n < passes))
            for system, passes in right.items()
            for n in range(40)
        ],
    )  # fmt: skip
    assert gated(folder, *limit)[1].startswith(answer)


@each_row(
    ("option", "said", "junit"),
    [
        ((), None, "<error "),
        (("--cannot-tell", "pass"), "passes", "<skipped "),
        (("--cannot-tell", "fail"), "fails", "<failure "),
    ],
)
def test_what_an_option_decides_is_said(
    runs: tuple[Path, Path], tmp_path: Path, option: tuple[str, ...], said: str | None, junit: str
):
    before, path = runs[0], tmp_path / "gate.xml"
    _, text = gated(before, before, *option, "--junit", path)
    assert [line.split(" by ")[0].lower() for line in text.splitlines() if "cannot_tell=" in line] == (
        [said] if said else []
    )
    assert junit in path.read_text("utf-8")
    told = json.loads(gated(before, before, *option, "--json", "-")[1])
    assert (told["answer"], told.get("counts_as")) == ("cannot tell", said)


def test_what_the_data_tell_is_decided_by_no_option(runs: tuple[Path, Path]):
    for limit in ("0.02", "0.9"):
        told = json.loads(gated(*runs, "--max-drop", limit, "--cannot-tell", "pass", "--json", "-")[1])
        assert (told["answer"] != "cannot tell", told.get("counts_as")) == (True, None)


def test_no_drop_is_a_limit_of_0_without_a_sign(runs: tuple[Path, Path]):
    (check,) = fd.gate(runs[0], runs[0]).checks
    assert str(check.limit) == "0.0"
    assert check.would_tell.endswith("near to 0")


def test_no_option_passes_a_gate_whose_calls_failed(runs: tuple[Path, Path]):
    open_gate = fd.gate(runs[0], runs[0])
    assert (open_gate.answer, open_gate.decided_by("pass").counts_as) == ("cannot tell", "passes")
    failed = msgspec.structs.replace(open_gate, failed_calls=1)
    assert [failed.decided_by(option).counts_as for option in ("pass", "fail")] == [None, "fails"]


def test_json_has_the_answer_alone(runs: tuple[Path, Path]):
    told = json.loads(gated(*runs, "--json", "-", "--annotations")[1])
    assert told["answer"] == "fails"
    assert told["checks"][0]["bounds"]["of"] == 40
    assert len(told["broke"]) == 19


def test_only_named_files_are_written(runs: tuple[Path, Path], tmp_path: Path):
    files = {path: path.read_bytes() for folder in runs for path in folder.iterdir()}
    _, text = gated(*runs, "--markdown", "--junit", tmp_path / "gate.xml")
    assert "| c20 | me | exact |" in text
    assert 'failures="1"' in (tmp_path / "gate.xml").read_text("utf-8")
    assert files == {path: path.read_bytes() for folder in runs for path in folder.iterdir()}


@pytest.mark.parametrize("also", [(), ("--markdown",), ("--json", "-")])
def test_annotations_are_commands_that_a_runner_reads(runs: tuple[Path, Path], also: tuple[str, ...]):
    result = fiducial("gate", *runs, "--annotations", *also)
    lines = (result.err if also else result.out).splitlines()
    assert sum(line.startswith("::error title=") for line in lines) == 1
    assert sum(line.startswith("::warning title=regression::") for line in lines) == 19


def test_annotations_cannot_be_commands_of_their_own(tmp_path: Path):
    from fiducial.evaluation.past_runs.changed_verdicts import ChangedVerdict
    from fiducial.report.gate_files import gate_annotations

    gate = fd.gate(verdicts(tmp_path / "a", 39), verdicts(tmp_path / "b", 39), max_drop=0.5)
    hostile = ChangedVerdict(
        case_id="x\n::stop-commands::y", system="me", trial=0, by="j", before="pass", after="fail"
    )
    [line] = gate_annotations(fd.api.gating.Gate(**{**{n: getattr(gate, n) for n in gate.__struct_fields__}, "broke": [hostile]}))  # fmt: skip
    assert "\n" not in line


def test_help_begins_with_what_people_need_first():
    assert list(COMMANDS)[:8] == ["demo", "import", "run", "calibrate", "audit", "compare", "review", "gate"]


def test_the_command_that_judges_again_makes_the_runs_comparable(tmp_path: Path):
    fd.write_records(tmp_path / "cases.jsonl", [fd.Case(**case) for case in open_cases(12)])
    for name, bad in (("was", 2), ("now", 4)):
        fd.write_records(tmp_path / f"{name}.jsonl", replies(bad, n=12))
        more = {"judge_on": "all"} if name == "now" else {}
        done = fiducial(
            "run", tmp_path / "cases.jsonl", outputs=tmp_path / f"{name}.jsonl", out=tmp_path / name,
            judge="memory_answer", model="baseline", pass_at=0.6 if more else 0.5, **more,
        )  # fmt: skip
        assert done.code == 0, done.err
    gate = json.loads(fiducial("gate", tmp_path / "was", tmp_path / "now", json="-").out)
    assert "threshold of " in gate["incomparable"][0]
    assert fiducial(*shlex.split(gate["judge_again"])[1:]).code == 0
    again = json.loads(fiducial("gate", f"{tmp_path / 'was'}-again", tmp_path / "now", json="-").out)
    assert again.get("incomparable", []) == []


def test_markdown_shows_what_was_answered(tmp_path: Path):
    cases = [fd.Case(**case) for case in open_cases(24)]
    for name, wrong in (("was", 0), ("now", 24)):
        outputs = [
            fd.Output(
                case_id=each.case_id,
                system="me",
                text=f"<b>el|se</b> {n}" if n < wrong else f"place {n} in Rome",
            )
            for n, each in enumerate(replies(0, n=24))
        ]
        fd.evaluate(
            cases,
            outputs,
            rules="strict",
            judges=[fd.judge("memory_answer", model="baseline")],
            out=tmp_path / name,
            progress=False,
        )
    done = fiducial("gate", tmp_path / "was", tmp_path / "now", "--markdown", judge_error=0)
    assert done.code == 1, done.out + done.err
    assert "| c00 | me | " in done.out
    assert "el\\|se" in done.out
    assert "<b>" not in done.out


@each_row(
    ("table", "options"),
    [
        ("case,judge,verdict\nt1,strict,good enough\n", {"--map response=verdict", "--map id=case"}),
        ("ticket,judge,result\nt1,strict,x\nt2,loose,y\n", {"--map response=result", "--map id=ticket"}),
        ("ticket,judge,grade\nt1,strict,5\nt2,strict,3\n", {"--label-scale '?:?'"}),
    ],
)
def test_options_that_a_gate_lacks_are_proposed_for_an_import(tmp_path: Path, table: str, options: set[str]):
    path = tmp_path / "table.csv"
    path.write_text(table)
    refused = fiducial("gate", path, "--min", "overall=0.5")
    assert refused.code == 2
    assert {option for option in options if option in refused.err} == options
    assert "query=judge" not in refused.err
    assert "`fiducial gate" not in refused.err
    assert f"`fiducial import {path} --out imported`" in " ".join(refused.err.split())


def test_a_shortened_list_says_how_many_it_leaves_out(runs: tuple[Path, Path]):
    text = " ".join(gated(*runs, "--max-drop", "0.02")[1].split())
    assert "c29 and 9 more." in text
    assert "..." not in text


def test_options_of_a_whole_command_are_not_proposed_for_an_import(tmp_path: Path):
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "c1", "kind": "memory_answer", "messages": [{"role": "user", "content": "Where?"}], "reference": {"answers": ["here"]}}\n'
    )
    refused = fiducial("gate", tmp_path, "--min", "overall=0.5")
    assert "cases.jsonl --outputs FILE`" in refused.err
    assert (refused.code, "takes these options" in refused.err) == (2, False)


def test_a_file_of_no_known_format_comes_with_a_command_that_names_one(tmp_path: Path):
    odd = tmp_path / "odd.json"
    odd.write_text('{"foo": [1]}')
    told = fiducial("gate", odd, "--min", "overall=0.5")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert f"`fiducial import FORMAT {odd} --out imported` reads it: then gate the folder" in told.err
    with pytest.raises(fd.FiducialError, match=r"`fd\.read\(\.\.\., as_=FORMAT\)` reads it: then"):
        fd.gate(odd, minimum={"overall": 0.5})
