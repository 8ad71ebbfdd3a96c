"""A declared bound on how much worse a judge is on undecided outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_numbers import value_of

import fiducial as fd
from fiducial.calibration import table_from_rows
from fiducial.calibration.corrected_rate.binary_verdicts import rogan_gladen
from fiducial.calibration.corrected_rate.open_bound import decided_rows, rate_if_worse
from fiducial.errors import InputError, UsageError
from fiducial.records import Verdict, write_records


def rows(
    right: tuple[int, int] = (54, 6), wrong: tuple[int, int] = (8, 32), rest: tuple[int, int] = (65, 35)
) -> list[dict[str, Any]]:
    """Decided outputs, right and wrong, that the judge passes and fails; and undecided ones."""
    found: list[dict[str, Any]] = []
    for label, counts in ((1.0, right), (0.0, wrong), (None, rest)):
        for score, count in zip((1.0, 0.0), counts, strict=True):
            found += [{"judge": "j", "score": score, "label": label}] * count
    return [{"item_id": f"{n}|s|0", **row} for n, row in enumerate(found)]


def bound(worse: float) -> Any:
    table = table_from_rows(rows())
    return rate_if_worse(table, decided_rows(table), worse, 0.5, 0.95)


def test_the_rate_is_rogan_and_gladens_by_hand():
    assert value_of(bound(0.1)) == pytest.approx((0.65 + 0.8 - 1) / (0.9 + 0.8 - 1), abs=1e-9)


def test_without_a_bound_the_interval_is_that_of_lang_and_reiczigel():
    usual = rogan_gladen(0.65, 100, true_positives=54, positives=60, true_negatives=32, negatives=40)
    assert (bound(0.0).low, bound(0.0).high) == pytest.approx((usual.low, usual.high), abs=1e-6)


def test_ends_contain_the_rate_of_every_worse_judge():
    found = bound(0.1)
    low, high = found.low, found.high
    rates = [
        (0.65 + tnr - 1) / (tpr + tnr - 1)
        for tpr in np.linspace(0.8, 0.9, 5)
        for tnr in np.linspace(0.7, 0.8, 5)
    ]
    assert low < min(rates) < max(rates) < high
    assert bound(0.05).low > low
    assert bound(0.05).high < high


def test_a_bound_that_leaves_chance_says_nothing_on_its_sides():
    assert (bound(0.75).low, bound(0.75).high) == (0.0, 1.0)


def test_the_estimate_is_of_undecided_outputs_and_says_it_in_a_sentence():
    found = fd.estimate(rows(), open_worse_by=0.1)
    assert (found["all"].n_labelled, found["all"].n_unlabelled) == (0, 100)
    assert found["all"].estimates["open_worse_by"] == bound(0.1)
    assert "If the judge is up to 10 points worse on undecided outputs: [" in str(found)


def test_a_bound_outside_its_range_is_refused():
    with pytest.raises(UsageError, match="open_worse_by= expects a number from 0 to 1"):
        fd.estimate(rows(), open_worse_by=-0.1)
    with pytest.raises(InputError, match=r"such as 0\.1"):
        fd.estimate(rows(), open_worse_by=1.0)


def test_what_is_decided_throughout_has_nothing_to_bound():
    with pytest.raises(InputError, match="every judged output is decided"):
        fd.estimate(rows(rest=(0, 0)), open_worse_by=0.1)


def test_labels_of_people_do_not_make_an_output_decided():
    given = [row | {"person:ann": row["label"]} for row in rows()]
    assert not decided_rows(table_from_rows(given)).any()


def test_of_a_run_the_checked_outputs_tell_the_judges_errors(tmp_path: Path):
    verdicts: list[Verdict] = []
    for row in rows():
        case = row["item_id"].split("|")[0]
        said: dict[str, Any] = {"case_id": case, "system": "s", "outcome": "graded"}
        verdicts.append(Verdict(**said, by="rubric/direct@m", source="judge", score=row["score"]))
        if row["label"] is not None:
            said["error_type"] = None if row["label"] else "wrong"
            verdicts.append(Verdict(**said, by="ast/strict", source="checker", score=row["label"]))
    write_records(tmp_path / "verdicts.jsonl", verdicts)
    found = fd.estimate(tmp_path, open_worse_by=0.1)["all"]
    assert (found.n_unlabelled, found.estimates["open_worse_by"]) == (100, bound(0.1))
    people = [
        Verdict(case_id=str(n), system="s", by="ann", source="human", outcome="graded", score=1.0)
        for n in range(100, 140)
    ]
    labelled = fd.estimate(tmp_path, open_worse_by=0.1, labels=people)["all"]
    assert (labelled.n_labelled, labelled.estimates["open_worse_by"]) == (40, bound(0.1))
