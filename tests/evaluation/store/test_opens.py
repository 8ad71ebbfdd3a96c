"""Each command opens each file of a run once, both to read it and to append to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fiducial.records import Case, Output, Verdict, write_records

_COUNT = """
import json, os, sys
opened = []
def hook(event, args):
    if event == "open" and not isinstance(args[0], int):
        opened.append(os.path.basename(os.fspath(args[0])))
sys.addaudithook(hook)
from fiducial.cli.main import main
try:
    main()
finally:
    with open("opened.json", "w") as file:
        json.dump(opened, file)
"""

_KEPT = ("run.json", "verdicts.jsonl", "labels.jsonl", "clusters.json", "calibration.json", "comparison.json")


@pytest.fixture
def opens(tmp_path: Path) -> Callable[..., Counter[str]]:
    """Return a function that counts how often a command opens each file of a run."""
    write_records(
        tmp_path / "cases.jsonl",
        (Case(id=f"c{n}", kind="memory_answer", reference={"answers": ["Rome"]}) for n in range(2)),
    )
    outputs = [Output(case_id="c0", system="s", text="It is in Rome, not Oslo.")]
    outputs += [Output(case_id="c1", system=system, text="Rome") for system in "st"]
    write_records(tmp_path / "outputs.jsonl", outputs)
    label = Verdict(case_id="c0", system="s", by="ada", source="human", outcome="graded", score=1.0)
    write_records(tmp_path / "gold.jsonl", [label])

    def run(*args: str) -> Counter[str]:
        subprocess.run([sys.executable, "-c", _COUNT, *args], cwd=tmp_path, check=True, capture_output=True)
        found = json.loads((tmp_path / "opened.json").read_text())
        return Counter(name for name in found if name in _KEPT)

    return run


_RUN = (
    "run", "cases.jsonl", "--outputs", "outputs.jsonl", "--judge", "memory_answer@baseline", "--judge-on", "all",
    "--labels", "gold.jsonl", "--out", "run",
)  # fmt: skip


def test_each_file_is_opened_once_by_whoever_works_and_once_by_the_report(
    opens: Callable[..., Counter[str]], tmp_path: Path
):
    verdicts = tmp_path / "run/verdicts.jsonl"
    for already_there in (0, 1):
        # The report is made of what was kept, as it is when it is made by itself.
        assert opens(*_RUN) == {
            "verdicts.jsonl": 2 + already_there,  # hashed before, to see whether anything is left to do
            "calibration.json": 1,
            "comparison.json": 1 + already_there,
            "labels.jsonl": 2 + 3 * already_there,  # of which most only hash it
            "clusters.json": 1,  # systems are compared by cluster
            "run.json": 1 + 3 * already_there,  # is anything left, who judged, and what is to go on
        }
        verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[:-1]))


def test_where_nothing_is_left_to_do_journals_are_hashed_and_not_read(opens: Callable[..., Counter[str]]):
    opens(*_RUN)
    found = opens(*_RUN)
    assert (found["verdicts.jsonl"], found["clusters.json"]) == (1, 1)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            ("report", "run"),
            {**dict.fromkeys(_KEPT, 2), "comparison.json": 1, "run.json": 3},
        ),  # edits are looked for, and the run is loaded, before its page is made
        # calibration.json says which of several judges counts for an output.
        (("calibrate", "run"), dict.fromkeys(_KEPT[:5], 1)),
        (("compare", "run", "--by", "system"), dict.fromkeys(_KEPT[:5], 1)),
    ],
)
def test_what_reads_a_run_opens_each_file_once(
    opens: Callable[..., Counter[str]], command: tuple[str, ...], expected: dict[str, int]
):
    opens(*_RUN)
    assert opens(*command) == expected
