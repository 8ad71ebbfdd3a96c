"""Printed numbers do not depend on the processor, whose linear algebra rounds differently."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiducial.calibration.intervals.special_intervals import magnitude_interval

NUMBERS = Path(__file__).parents[1] / "support" / "kernel_numbers.py"
KERNELS = ("Haswell", "SkylakeX", "Zen", "Prescott")

SAME = 1e-6


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if not hasattr(value, "__iter__") or hasattr(value, "encode"):
        yield place, value
        return
    for name, part in value.items() if hasattr(value, "items") else enumerate(value):
        yield from leaves(part, f"{place}/{name}")


def under(kernel: str, threads: str, script: list[str]) -> subprocess.Popen[str]:
    environment = os.environ | {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads}
    return subprocess.Popen([sys.executable, *script], env=environment, stdout=subprocess.PIPE, text=True)


def ended(run: subprocess.Popen[str]) -> tuple[str, int]:
    """Return the printed text and the exit code."""
    with run:
        return run.communicate()[0], run.returncode


@pytest.mark.slow
def test_no_number_differs_between_kernels_and_threads():
    # A kernel whose instructions this processor lacks ends with a signal.
    multiplied = ["-c", "import numpy as np; np.linalg.eigh(np.ones((50, 50)) @ np.ones((50, 50)))"]
    trials = [(kernel, under(kernel, "1", multiplied)) for kernel in KERNELS]
    able = [kernel for kernel, trial in trials if not ended(trial)[1]]
    if len(able) < 2:
        pytest.skip(f"this processor runs only {able} of {KERNELS}")
    runs = {kernel: under(kernel, str(1 + n % 2), [str(NUMBERS)]) for n, kernel in enumerate(able)}
    found = {kernel: dict(leaves(json.loads(ended(run)[0]))) for kernel, run in runs.items()}
    first = found.pop(able[0])
    assert len(first) > 10_000
    for kernel, numbers in found.items():
        assert numbers.keys() == first.keys()
        other = {place: (first[place], now) for place, now in numbers.items() if not same(first[place], now)}
        assert other == {}, kernel


def same(before: Any, now: Any) -> bool:
    return before == now or (
        isinstance(before, float)
        and isinstance(now, float)
        and abs(before - now) <= SAME * max(1.0, abs(before))
    )


def test_empty_parts_leave_an_interval_where_it_is():
    parts, covariance = np.array([0.04, -0.03]), np.array([[0.0004, 0.0001], [0.0001, 0.0002]])
    wide = np.zeros((5, 5))
    wide[np.ix_([1, 3], [1, 3])] = covariance
    wanted = magnitude_interval(parts, covariance, 50, 0.95)
    found = magnitude_interval(np.array([0.0, 0.04, 0.0, -0.03, 0.0]), wide, 50, 0.95)
    assert found == pytest.approx(wanted, abs=SAME)


@pytest.mark.parametrize("noise", [-1e-17, 1e-17])
def test_the_sign_of_a_part_that_is_nothing_but_rounding_moves_no_interval(noise: float):
    rng = np.random.default_rng(4)
    mixed = rng.normal(size=(4, 4))
    covariance = 0.001 * mixed.T @ mixed
    plain, rounded = np.array([0.0, 0.05, -0.02, 0.0]), np.array([noise, 0.05, -0.02, noise])
    wanted = magnitude_interval(plain, covariance, 50, 0.95)
    assert magnitude_interval(rounded, covariance, 50, 0.95) == pytest.approx(wanted, abs=SAME)


def test_equal_eigenvalues_leave_an_interval_where_it_is():
    """Noise in the last digit turns eigenvectors of equal eigenvalues at random.

    Any basis of their plane is one of eigenvectors.
    """
    parts, rng = np.array([0.04, -0.03, 0.02, 0.05]), np.random.default_rng(5)
    covariance = 0.0004 * np.eye(4)
    wanted = magnitude_interval(parts, covariance, 50, 0.95)
    for _ in range(10):
        noise = 1e-18 * rng.normal(size=(4, 4))
        found = magnitude_interval(parts, covariance + noise + noise.T, 50, 0.95)
        assert found == pytest.approx(wanted, abs=SAME)
