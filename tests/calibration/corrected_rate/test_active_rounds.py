"""Labels drawn in several rounds, the later ones by what the earlier ones showed."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_numbers import covers

from fiducial.calibration import estimate, read_table, table_from_rows
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.corrected_rate.active_labels import DrawnLabels, active_estimate, draw_probabilities
from fiducial.errors import InputError
from fiducial.records import write_records

M = 800
RATE = 0.375


def two_rounds(seed: int, counts: tuple[int, ...] = (60, 90)) -> tuple[DrawnLabels, IntArray, FloatArray]:
    """A population, and labels of which the second round went where the first found doubt."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, 0.5, M).round(3)
    truth = (rng.random(M) < score).astype(float)
    label, chance, drawn_in = np.full(M, np.nan), np.ones(M), np.zeros(M, dtype=np.int64)
    for number, count in enumerate(counts, start=1):
        likely = draw_probabilities(score, label, count)
        new = rng.random(M) < likely
        label[new], chance[new], drawn_in[new] = truth[new], likely[new], number
    return DrawnLabels(label, score, chance, np.arange(M)), drawn_in, truth


@pytest.mark.slow
@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("counts", [(60, 90), (50, 50, 50)], ids=["two rounds", "three rounds"])
def test_intervals_cover_and_the_estimate_is_not_biased(finite: bool, counts: tuple[int, ...]) -> None:
    hits, errors = 0, np.zeros(500)
    for seed in range(500):
        data, drawn_in, truth = two_rounds(seed, counts)
        found = active_estimate(data, drawn_in=drawn_in, finite=finite).estimate
        wanted = float(truth.mean()) if finite else RATE
        hits += covers(found, wanted)
        errors[seed] = (found.value or 0.0) - wanted
    # Three Monte Carlo errors of 1 point around 95 %.
    assert 0.92 <= hits / 500 <= 0.98
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(500)


def test_both_rounds_together_are_more_precise_than_the_last_alone() -> None:
    errors: dict[str, list[float]] = {"both": [], "last": []}
    for seed in range(300):
        data, drawn_in, truth = two_rounds(seed, (75, 75))
        for name, rounds in (("both", drawn_in), ("last", np.where(drawn_in == 1, 0, drawn_in))):
            # To the last alone, what was labelled before is there for certain.
            chance = np.where(rounds == 0, 1.0, data.probability)
            part = DrawnLabels(data.label, data.score, chance, data.cluster)
            found = active_estimate(part, drawn_in=rounds, finite=True).estimate
            errors[name].append((found.value or 0.0) - float(truth.mean()))
    assert np.std(errors["both"]) < 0.9 * np.std(errors["last"])


def test_one_round_needs_no_round_numbers() -> None:
    data, drawn_in, _ = two_rounds(1, (150,))
    assert active_estimate(data, drawn_in=drawn_in) == active_estimate(data)


def test_rounds_weigh_as_much_as_they_have_labels() -> None:
    data, drawn_in, _ = two_rounds(2)
    first = DrawnLabels(
        np.where(drawn_in == 1, data.label, np.nan), data.score, data.probability, data.cluster
    )
    second = DrawnLabels(data.label, data.score, np.where(drawn_in == 1, 1.0, data.probability), data.cluster)
    sizes = np.array([(drawn_in == 1).sum(), (drawn_in == 2).sum()])
    values = [active_estimate(labels).estimate.value for labels in (first, second)]
    both = active_estimate(data, drawn_in=drawn_in).estimate
    assert both.value == pytest.approx(np.average(np.array(values, dtype=float), weights=sizes), abs=1e-12)
    assert both.n == sizes.sum()


def rows_of(data: DrawnLabels) -> list[dict[str, Any]]:
    labels: list[float] = data.label.tolist()
    scores: list[float] = data.score.tolist()
    return [
        {"item_id": f"i{row}", "judge": "j", "score": score, "label": label if isfinite(label) else None}
        for row, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]


def test_draw_files_are_rounds_in_their_order(tmp_path: Path) -> None:
    data, drawn_in, _ = two_rounds(3)
    paths = [tmp_path / f"draw{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(paths, start=1):
        rows: list[int] = np.flatnonzero(drawn_in == number).tolist()
        chances: list[float] = data.probability.tolist()
        write_records(path, [{"item_id": f"i{row}", "label_probability": chances[row]} for row in rows])
    table = tmp_path / "table.jsonl"
    write_records(table, rows_of(data))
    found = estimate(read_table([table], draw=paths))["all"].estimates["active"]
    expected = active_estimate(data, drawn_in=drawn_in).estimate
    assert found.value == pytest.approx(expected.value)
    assert found.low == pytest.approx(expected.low)
    with pytest.raises(
        InputError, match=r"draw2\.jsonl:1: item_id: 'i\d+' was drawn twice|was drawn in .*draw"
    ):
        read_table([table], draw=[paths[1], paths[1]])


@pytest.mark.parametrize("number", [0, 1.5, "two", -1])
def test_a_round_is_a_whole_number_from_1_on(number: object) -> None:
    row = {"item_id": "a", "judge": "j", "score": 1, "label_round": number}
    with pytest.raises(InputError, match="rows:1: label_round: expected a whole number from 1 on"):
        table_from_rows([row])
