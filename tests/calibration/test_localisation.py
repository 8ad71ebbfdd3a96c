"""Rates of naming the planted step, and the baselines that do not look."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.localisation import NamedSteps, baselines, localisation


def rows(*triples: tuple[int, int, int], clusters: list[int] | None = None) -> NamedSteps:
    """Rows of what was named, what was planted, and the number of steps."""
    named, planted, steps = (np.array(column, dtype=np.int64) for column in zip(*triples, strict=True))
    cluster = np.arange(len(triples)) if clusters is None else np.array(clusters)
    return NamedSteps(named, planted, steps, cluster)


def test_hits_neighbours_and_unnoticed_faults_are_told_apart():
    found = localisation(rows((3, 3, 9), (2, 3, 9), (4, 3, 9), (5, 3, 9), (0, 1, 9)))
    assert (found.exact.value, found.within_one.value, found.unnoticed) == (0.2, 0.6, 1)


def test_none_is_no_neighbour_of_the_first_step():
    assert localisation(rows((0, 1, 4))).within_one.value == 0


TRAJECTORY = st.integers(1, 40).flatmap(lambda steps: st.tuples(st.integers(1, steps), st.just(steps)))


@given(st.lists(TRAJECTORY, min_size=1, max_size=30))
def test_baselines_are_the_means_of_naming_each_step_and_the_last(faults: list[tuple[int, int]]):
    last, uniform = baselines(rows(*((0, planted, steps) for planted, steps in faults)))
    exact = [sum(k == planted for k in range(1, steps + 1)) / steps for planted, steps in faults]
    near = [sum(abs(k - planted) <= 1 for k in range(1, steps + 1)) / steps for planted, steps in faults]
    assert uniform.exact == pytest.approx(np.mean(exact))
    assert uniform.within_one == pytest.approx(np.mean(near))
    assert last.exact == pytest.approx(np.mean([planted == steps for planted, steps in faults]))
    assert last.within_one == pytest.approx(np.mean([steps - planted <= 1 for planted, steps in faults]))


@given(st.lists(TRAJECTORY, min_size=1, max_size=60))
def test_naming_the_last_step_never_localises(faults: list[tuple[int, int]]):
    assert not localisation(rows(*((steps, planted, steps) for planted, steps in faults))).localises


def test_few_hits_are_no_claim_and_many_are():
    assert not localisation(rows(*[(2, 2, 4)] * 2)).localises
    assert localisation(rows(*[(2, 2, 4)] * 20)).localises


def test_rows_of_few_clusters_and_many_sorts_of_fault_need_more():
    hits = [(2, 2, 3)] * 6 + [(1, 2, 3)] * 2
    alone = localisation(rows(*hits * 3))
    assert alone.localises
    assert alone.bound is not None
    for other in (
        localisation(rows(*hits * 3), sorts=8),
        localisation(rows(*hits * 3, clusters=[0, 1] * 12)),
    ):
        assert other.bound is not None
        assert other.bound < alone.bound


def test_without_a_row_nothing_is_claimed():
    empty = np.array([], dtype=np.int64)
    found = localisation(NamedSteps(empty, empty, empty, empty))
    assert (found.exact.value, found.exact.n, found.bound, found.localises) == (None, 0, None, False)
