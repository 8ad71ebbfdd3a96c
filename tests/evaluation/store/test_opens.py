"""Each command opens each file of a run once, both to read it and to append to it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

from fiducial.records import Case, Output, Verdict, write_records

_KEPT = ("run.json", "verdicts.jsonl", "labels.jsonl", "clusters.json", "calibration.json", "comparison.json")


class Opened:
    """Names of the files that are opened while somebody listens."""

    def __init__(self) -> None:
        self.names: list[str] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and self.names is not None and not isinstance(args[0], int):
            self.names.append(Path(os.fsdecode(args[0])).name)


@cache
def opened() -> Opened:
    """One for the whole process, which cannot get rid of it."""
    return Opened()


@pytest.fixture
def opens(bare_environment: None, tmp_path: Path) -> Callable[..., Counter[str]]:
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
        hook = opened()
        found: list[str] = []
        hook.names = found
        try:
            result = fiducial(*args)
        finally:
            hook.names = None
        assert result.code == 0, result.err
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
