"""Exact output of the commands, as in `printed/`.

`FIDUCIAL_PRINT_ANEW=1` rewrites these files; look at the diff before you keep it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from command import fiducial

from fiducial.data import demo_path
from fiducial.records import Verdict, write_records
from fiducial.report.text.safe_text import columns_of

PRINTED = Path(__file__).parent / "printed"

COMMANDS = {
    "calibrate": "calibrate table.jsonl --replicates 200 --slice system",
    "calibrate-requests": "calibrate fractions.jsonl --replicates 200 --levels 1,0,0.5 --recalibrate platt "
    "--threshold-for balanced_accuracy --max-error 0.2 --cascade small,large",
    "calibrate-unlabelled": "calibrate unlabelled.jsonl",
    "calibrate-audited": "calibrate table.jsonl --replicates 200 --label-audit audit.jsonl",
    "compare": "compare table.jsonl --replicates 200 --flips 2",
    "compare-systems": "compare table.jsonl --by system --right label",
    "compare-statistic": "compare fractions.jsonl --statistic mae --replicates 200",
    "estimate": "estimate some.jsonl --judge large",
    "estimate-strata": "estimate some.jsonl --judge large --strata score --target finite",
    "estimate-unlabelled": "estimate unlabelled.jsonl --judge large",
    "plan": "plan --half-width 0.1 --difference 0.1 --unlabelled 400 --icc 0.2 --rows-per-cluster 3 --on-average",
    "plan-next": "plan some.jsonl --next 3",
    "plan-doubt": "plan some.jsonl --next 5 --by-doubt --judge large",
    "plan-strata": "plan some.jsonl --next 40 --strata score --judge large",
    "audit-mutate": "audit mutate CASES --out probes --only swapped_enum missing_required argument_order",
    "audit-run": "audit run probes --judge tool_call_accuracy --model baseline --sample 20 --out audit",
    "audit-certify": "audit certify demo --by tool_call_accuracy/reasons@claude --claim accuracy=0.8 --out certificate.json",
    "alt-test": "audit alt-test ann.jsonl bob.jsonl cleo.jsonl machine.jsonl",
    "prompts": "prompts list",
    "compare-run": "compare demo --by system",
    "calibrate-run": "calibrate demo --replicates 200",
    "report-two": "report demo other",
    "history": "history .",
    "calibrate-in-full": "calibrate table.jsonl --replicates 200 --slice system -v",
    "calibrate-requests-in-full": "calibrate fractions.jsonl --replicates 200 --levels 1,0,0.5 --recalibrate platt "
    "--threshold-for balanced_accuracy --max-error 0.2 --cascade small,large -v",
    "compare-in-full": "compare table.jsonl --replicates 200 --flips 2 -v",
    "estimate-in-full": "estimate some.jsonl --judge large --strata score --target finite -v",
    "audit-run-in-full": "audit run probes --judge tool_call_accuracy --model baseline --sample 20 --out audit -v",
    "report-two-in-full": "report demo other -v",
    "demo": "demo --out demo",
    "demo-in-full": "demo --out demo -v",
    "demo-quietly": "demo --out demo -q",
}

OF_RUNS = {
    "audit-certify": ["demo"],
    "compare-run": ["demo"],
    "calibrate-run": ["demo"],
    "report-two": ["demo", "other"],
    "report-two-in-full": ["demo", "other"],
    "history": ["demo", "other"],
    "demo-in-full": ["demo"],
    "demo-quietly": ["demo"],
}
"""Commands that read runs over the built-in suite."""

LISTS = {"prompts"}
"""Commands that list things, however many there are."""


def table(*, labelled: float = 1.0, fractions: bool = False) -> list[dict[str, object]]:
    """Three judges of 90 outputs of three systems, in clusters of two."""
    draw = random.Random(7)
    rows: list[dict[str, object]] = []
    for item in range(90):
        right = draw.random() < (0.8, 0.6, 0.5)[item % 3]
        label = draw.choice([0.0, 0.5, 1.0]) if fractions else float(right)
        shown = label if draw.random() < labelled else None
        for judge, errs in (("large", 0.1), ("small", 0.3), ("odd", 0.2)):
            wrong = draw.random() < errs
            score = draw.choice([0.0, 0.5, 1.0]) if fractions and wrong else abs(label - wrong)
            rows.append(
                {
                    "item_id": f"item-{item:02}|s|0",
                    "judge": judge,
                    "score": None if draw.random() < 0.03 else score,
                    "label": shown,
                    "system": f"system-{item % 3}",
                    "cluster": f"cluster-{item // 6}",
                    "baseline:words": float(draw.random() < 0.5),
                    "person:ann": float(right),
                    "person:bob": float(right) if draw.random() < 0.9 else 1 - float(right),
                }
            )
    return rows


@pytest.fixture
def tables(tmp_path: Path) -> None:
    write_records(tmp_path / "table.jsonl", table())
    write_records(tmp_path / "fractions.jsonl", table(fractions=True))
    write_records(tmp_path / "some.jsonl", table(labelled=0.5))
    write_records(tmp_path / "unlabelled.jsonl", table(labelled=0.0))
    draw = random.Random(3)
    audit = (human("auditor", number, float(draw.random() < 0.7)) for number in range(0, 90, 2))
    write_records(tmp_path / "audit.jsonl", audit)
    for name in ("ann", "bob", "cleo"):
        said = (human(name, number, float(draw.random() < 0.7)) for number in range(90))
        write_records(tmp_path / f"{name}.jsonl", said)
    judged = (
        Verdict(
            case_id=f"item-{n:02}",
            system="s",
            by="judge/v@m",
            source="judge",
            outcome="graded",
            score=float(n % 3 > 0),
        )
        for n in range(90)
    )
    write_records(tmp_path / "machine.jsonl", judged)


def human(name: str, number: int, score: float) -> Verdict:
    return Verdict(
        case_id=f"item-{number:02}", system="s", by=name, source="human", outcome="graded", score=score
    )


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_it_printed(name: str, demo_runs: Path):
    for run in OF_RUNS.get(name, ()):
        shutil.copytree(demo_runs / run, run)
    if name.startswith("audit-run"):
        fiducial(*words_of(COMMANDS["audit-mutate"]))
    if name == "demo":
        out = (demo_runs / "demo.txt").read_text("utf-8")
    else:
        result = fiducial(*words_of(COMMANDS[name]))
        assert result.code == 0, result.err
        out = result.out
    # What a judge is asked and read by changes with every version of it.
    printed = re.sub(r"fingerprint \w+", "fingerprint ...", out)
    printed = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "2026-01-01 00:00 UTC", printed)
    kept = PRINTED / f"{name}.txt"
    if os.environ.get("FIDUCIAL_PRINT_ANEW"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(printed, "utf-8")
    assert printed == kept.read_text("utf-8")


def test_a_command_answers_in_a_screen_of_24_lines_and_80_columns():
    for name in (command for command in COMMANDS if not command.endswith("in-full")):
        lines = (PRINTED / f"{name}.txt").read_text("utf-8").splitlines()
        # A command to type is one line, so that it can be copied.
        wide = [line for line in lines if columns_of(line) > 80 and not line.startswith("  fiducial ")]
        assert wide == [], name
        assert name in LISTS or len(lines) <= 24, name


def words_of(command: str) -> list[str]:
    command = command.replace("CASES", str(demo_path("cases.jsonl")))
    return command.replace("OUTPUTS", str(demo_path("outputs.jsonl"))).split()
