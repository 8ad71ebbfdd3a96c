"""Options that a command would ignore are refused, but not settings of the team file."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from command import fiducial

IGNORED = {
    "review run --add labels.jsonl --n 20": "--n is for making a page",
    "review run --add labels.jsonl --of disagreements": "--of is for making a page",
    "review run --of disagreements --sample decided": "--sample is not used with --of",
    "review run --agreements 30": "--agreements goes with --of disagreements or survivors",
    "review run --of suspects --agreements 30": "--agreements goes with --of disagreements or survivors",
    "audit certify run --against c.json --level 0.9": "--level is for a new certificate",
    "audit certify run --against c.json --pass-at 0.7": "--pass-at is for a new certificate",
    "audit run probes --judge rubric --model m --out o --calls 20": "--calls goes with --ladder",
    "audit run probes --judge rubric --model m --out o --evenly": "--evenly goes with --ladder",
    "compare run --by system --interval wald": "--interval is for judges",
    "compare run --by system --replicates 500": "--replicates is for judges",
    "calibrate table.csv --label-audit-by gart-buck": "--label-audit-by goes with --label-audit",
    "report before after --accept-edited": "--accept-edited is for the page of one run",
    "plan --difference 0.05 --tpr 0.9": "--tpr goes with --half-width",
    "plan --half-width 0.05 --power 0.9": "--power goes with --difference",
    "plan --half-width 0.05 --decided-rate 0.9": "--decided-rate goes with --budget",
    "plan --half-width 0.05 --seed 1": "--seed goes with --next",
    "plan table.csv --half-width 0.05 --budget 9 --judge j": "--judge goes with --next",
    "plan table.csv --budget 9 --decided 0.5": "--decided is measured on the TABLE",
    "plan table.csv --budget 9 --prevalence 0.5": "--prevalence is measured on the TABLE",
    "plan table.csv --next 9 --rows-per-cluster 2": "--rows-per-cluster goes with --half-width",
    "plan --half-width 0.05 --assurance 0.9 --on-average": "--assurance is not used with --on-average",
    "judge cases.jsonl --outputs o.jsonl --judge rubric --model m --out r --unsure 0-0.5": "--unsure goes with --jury escalate",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("labels.jsonl", "c.json", "cases.jsonl", "o.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "table.csv").write_text("item_id,judge,score,label\na,j,1,1\n")
    for name in ("run", "before", "after", "probes"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "message"), IGNORED.items(), ids=IGNORED)
def test_an_option_that_would_have_no_effect_is_refused(command: str, message: str):
    refused = fiducial(*shlex.split(command))
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert refused.err.startswith(f"fiducial: {message}")


def test_a_setting_of_the_team_file_that_has_no_effect_is_no_error(folder: Path):
    (folder / "fiducial.toml").write_text("[plan]\npower = 0.9\n")
    assert fiducial("plan", "--half-width", "0.05").code == 0
