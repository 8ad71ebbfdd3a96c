"""A judge that is right on most rows and less often on a part of them."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import covers, printed
from lazily import Lazily
from table_rows import rows_of_columns

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.agreement_by_group import system_agreement, worse_part
from fiducial.calibration.arrays import FloatArray, IntArray


def worse(errors: int, labels: int, *, rows: int = 1) -> float:
    """Return the p of a judge with these errors on a part, and 12 errors on 400 other rows."""
    label = np.tile([1.0, 0.0], (labels + 400) // 2)
    wrong = np.concatenate([np.arange(labels) < errors, np.arange(400) < 12])
    cluster = [f"c{n // rows}" for n in range(len(label))]
    table = table_from_rows(rows_of_columns(label, np.where(wrong, 1 - label, label), cluster=cluster))
    return worse_part(table, np.arange(len(label)) < labels)["j"]


def test_a_part_with_more_errors_is_worse() -> None:
    assert worse(6, 20) < 0.001
    assert worse(1, 20) > 0.5


def test_a_part_without_errors_is_not_worse() -> None:
    assert worse(0, 20) == 1.0


def test_rows_in_clusters_tell_less() -> None:
    assert worse(6, 20, rows=5) > worse(6, 20)


def test_a_part_that_is_all_or_nothing_is_compared_with_nobody() -> None:
    label = np.tile([1.0, 0.0], 20)
    table = table_from_rows(rows_of_columns(label, label))
    assert worse_part(table, np.zeros(40, dtype=np.bool_)) == {}


stats = Lazily("scipy.stats")


def simulate(
    seed: int, kind: tuple[float, ...], *, tasks: int = 40
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Systems on the same tasks, and by how much the judge is too kind to each."""
    rng = np.random.default_rng(seed)
    system, cluster = np.repeat(np.arange(len(kind)), tasks), np.tile(np.arange(tasks), len(kind))
    rate = 0.3 + 0.4 * rng.random(tasks)[cluster]
    label = (rng.random(len(system)) < rate).astype(float)
    changed = rng.random(len(system)) < np.array(kind)[system] / 0.5
    return label, np.where(changed, 1.0, label), system, cluster


def test_differences_are_those_of_the_means() -> None:
    label, score, system, cluster = simulate(0, (0.0, 0.1, 0.3))
    found = system_agreement(label, score, system, cluster)
    for number, each in found.systems.items():
        assert each.difference.value == pytest.approx((score - label)[system == int(number)].mean())
    worst = max(abs(means.difference.value or 0.0) for means in found.systems.values())
    assert found.largest_difference.value == pytest.approx(worst)


def test_tau_is_that_of_the_means() -> None:
    label, score, system, cluster = simulate(1, (0.0, 0.3, 0.1, 0.2, 0.0))
    found = system_agreement(label, score, system, cluster)
    means = [[values[system == number].mean() for number in range(5)] for values in (label, score)]
    assert found.kendall_tau_b.value == pytest.approx(stats.kendalltau(*means).statistic)


def test_two_systems_have_no_order_to_speak_of() -> None:
    found = system_agreement(*simulate(2, (0.0, 0.1)))
    assert found.kendall_tau_b.undefined == "an order of 2 systems says little; it takes 3"
    assert found.largest_difference.value is not None


def test_equal_means_have_no_order() -> None:
    _, score, system, cluster = simulate(3, (0.0, 0.1, 0.2))
    found = system_agreement(np.ones(120), score, system, cluster)
    assert found.kendall_tau_b.undefined is not None


def test_a_judge_that_never_errs_is_not_certain() -> None:
    label, _, system, cluster = simulate(4, (0.0, 0.0, 0.0))
    found = system_agreement(label, label, system, cluster).largest_difference
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None
    assert found.high > 0.05


def test_a_system_in_one_cluster_leaves_no_interval() -> None:
    label, score, system, cluster = simulate(5, (0.0, 0.1, 0.2))
    found = system_agreement(label, score, system, np.where(system == 2, 7, cluster))
    assert found.largest_difference.low is None


@pytest.mark.parametrize("kind", [(0.0, 0.0, 0.0), (0.05, 0.05, 0.2), (0.1,) * 6])
def test_the_interval_of_the_largest_difference_covers(kind: tuple[float, ...]) -> None:
    # What the judge adds: changed verdicts on the half of labels that fail.
    truth, hits = max(kind) / 0.5 * 0.5, 0
    for seed in range(400):
        found = system_agreement(*simulate(seed, kind, tasks=60)).largest_difference
        hits += covers(found, truth)
    assert hits / 400 >= 0.935


def test_calibrate_says_it_for_each_judge() -> None:
    label, score, system, cluster = simulate(6, (0.0, 0.1, 0.3))
    rows = [
        {
            "item_id": f"{cluster[row]}|{system[row]}|0",
            "judge": "j",
            "score": score[row],
            "label": label[row],
            "system": f"s{system[row]}",
            "cluster": str(cluster[row]),
        }
        for row in range(len(label))
    ]
    result = calibrate(table_from_rows(rows))
    assert set(result.systems["j"].systems) == {"s0", "s1", "s2"}
    text = printed(result)
    line = next(line.split() for line in text.splitlines() if line.startswith("  j  ") and "s2" in line)
    assert line[1] == "3"
    assert line[-3:] == ["s2", "simultaneous", "cluster-t"]
    one = calibrate(table_from_rows([row for row in rows if row["system"] == "s0"]))
    assert one.systems == {}
