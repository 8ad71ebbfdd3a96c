"""A folder of probes, made once, and ladders without their curves."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_self_test import make_probes

from fiducial.calibration.ladders import fit


@pytest.fixture(scope="session")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Probes of 50 calls, 50 answers and 50 statements."""
    return make_probes(tmp_path_factory.mktemp("probes"), 50)


@pytest.fixture
def coarse_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two points a curve, which nothing but a drawing is made of, and which take longest."""
    monkeypatch.setattr(fit, "_CURVE_POINTS", 2)
