"""Labelled items, divided by group into development items and a locked holdout."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...calibration.decisions import Decisions, drawn_rank, majority_decision
from ...errors import InputError, RecordError, RunFolderError
from ...records import (
    Case,
    InputPath,
    ItemKey,
    Output,
    decode_record,
    encode_record,
    read_regular_file,
    write_json,
    write_records,
)
from ...records.folder_files import CASES, OUTPUTS
from ...spelling import setting
from ..inputs import EvaluationInputs
from ..judging.judge_task import JudgeTask
from ..store.run_store import RunStore

MIN_LABELLED_ITEMS = 10
"""Minimum number of labelled items for development, and for the holdout."""

_RANK_COUNT = float(1 << 64)
"""Number of values of a rank, an eight-byte hash."""

_DIVISION_FILE = "division.json"


class LabelledSet(NamedTuple):
    """Cases and outputs with labels, and decisions on the labels."""

    cases: Sequence[InputPath]
    outputs: Sequence[InputPath]
    labels: Mapping[ItemKey, float]
    decisions: Decisions = Decisions()


class LabelledItem(NamedTuple):
    """One output with its case and label.

    Attributes:
        label: Label in [0, 1], after adjudication, or None if adjudicated as undecidable.
        adjudicated: True if a person adjudicated the label.
        group: Group of dependent items, which are never divided.
    """

    case: Case
    output: Output
    label: float | None
    adjudicated: bool
    group: str


class DividedItems(NamedTuple):
    """Items by side."""

    development: list[LabelledItem]
    holdout: list[LabelledItem]


class _Division(msgspec.Struct, frozen=True):
    """Settings that must not change when an improvement is resumed.

    ``items`` is the hash of the items, ``judge`` the judge's fingerprint, and ``holdout`` the share of groups to hold out.
    """

    items: str
    judge: str
    seed: int
    holdout: float
    margin: float


def labels_of_run(store: RunStore) -> dict[ItemKey, float]:
    """Return the labels of a run, and for other outputs the checkers' grades."""
    checker_grades = {
        verdict.key: verdict.score
        for verdict in store.other_verdicts()
        if verdict.score is not None and verdict.source == "checker"
    }
    return {**checker_grades, **store.label_scores}


def labelled_items(labelled: LabelledSet, task: JudgeTask) -> list[LabelledItem]:
    """Return the labelled outputs that a judge can grade.

    Raises:
        InputError: There is no such output, or one is a workspace.
    """
    decision_of_item = {
        item: majority_decision(decisions) for item, decisions in labelled.decisions.by_item.items()
    }
    score_of_decision: dict[str, float | None] = {"right": 1.0, "wrong": 0.0, "undecidable": None}
    with EvaluationInputs(labelled.cases, labelled.outputs) as inputs:
        items: list[LabelledItem] = []
        for case, output in inputs.pairs():
            decision = decision_of_item.get(str(output.key))
            if output.key not in labelled.labels or not task.takes(case.kind, output):
                continue
            if output.workspace is not None:
                raise InputError(
                    "workspaces cannot be divided into parts; improve a judge on text outputs",
                    path=labelled.outputs[0],
                )
            label = labelled.labels[output.key] if decision is None else score_of_decision[decision]
            group = inputs.cases.cluster(case.id)
            items.append(LabelledItem(case, output, label, decision is not None, group))
    if not items:
        raise InputError(
            f"none of the outputs that {task.by} judges has a label (`fiducial labels add` adds some)",
            path=str(labelled.outputs[0]),
        )
    return items


def divide_items(items: Iterable[LabelledItem], seed: int, holdout: float) -> DividedItems:
    """Divide items by a hash of their group, so that added labels move none; see decision 30.

    Raises:
        InputError: A side has too few labelled items.
    """
    sides = DividedItems([], [])
    for item in items:
        rank_share = int.from_bytes(drawn_rank(item.group, seed), "big") / _RANK_COUNT
        (sides.holdout if rank_share < holdout else sides.development).append(item)
    for name, side in sides._asdict().items():
        labelled_count = sum(item.label is not None for item in side)
        if labelled_count < MIN_LABELLED_ITEMS:
            raise InputError(
                f"{labelled_count:,} labelled items for {name}, and at least {MIN_LABELLED_ITEMS} are needed: label more, or change {setting('holdout')}"
            )
    return sides


def write_side(items: Sequence[LabelledItem], folder: Path) -> tuple[Path, Path]:
    """Write the cases and outputs of a side unless they exist, and return their paths."""
    cases, outputs = folder / CASES, folder / OUTPUTS
    if not outputs.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_records(cases, {item.case.id: item.case for item in items}.values())
        write_records(outputs, (item.output for item in items))
    return cases, outputs


def lock_division(
    out: Path, items: Iterable[LabelledItem], judge: str, *, seed: int, holdout: float, margin: float
) -> None:
    """Record an improvement's items, judge (by fingerprint), division and margin in its folder.

    A rerun must use the same, because each could be chosen after a look at the holdout; see decision 30.

    Raises:
        RunFolderError: The folder belongs to another improvement.
    """
    digest = hashlib.sha256()
    for item in items:
        digest.update(encode_record(item.case) + encode_record(item.output) + item.group.encode())
    division, path = _Division(digest.hexdigest(), judge, seed, holdout, margin), out / _DIVISION_FILE
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_json(path, division)
        return
    try:
        recorded_division = decode_record(read_regular_file(path), _Division)
    except (OSError, RecordError) as error:
        raise RunFolderError(f"{path}: cannot be read: {error}") from error
    for name in _Division.__struct_fields__:
        if getattr(recorded_division, name) != getattr(division, name):
            difference = {"items": "other labelled items", "judge": "another prompt or model"}.get(
                name, f"another {setting(name)}"
            )
            raise RunFolderError(f"{out}: was begun with {difference}; choose another {setting('out')}")


def adjudicated_sha256(items: Iterable[LabelledItem]) -> str:
    """Return a hash of the adjudicated labels of items."""
    rows = [f"{item.output.key}\t{item.label}\t{item.adjudicated}" for item in items]
    return hashlib.sha256("\n".join(sorted(rows)).encode("utf-8", "surrogatepass")).hexdigest()
