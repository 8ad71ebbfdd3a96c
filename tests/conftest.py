"""Fixtures for all tests: where reference data is, when it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference data that FIDUCIAL_REFERENCE names; a test that needs it is skipped, visibly, without."""
    folder = os.environ.get("FIDUCIAL_REFERENCE")
    if not folder:
        pytest.skip("FIDUCIAL_REFERENCE is not set: not compared with reference data")
    path = Path(folder)
    assert path.is_dir(), f"FIDUCIAL_REFERENCE names no folder: {folder}"
    return path


@pytest.fixture(scope="session")
def bfcl_data() -> Path:
    """A dozen entries of our own, in the form of BFCL's data files."""
    return Path(__file__).parent / "formats" / "bfcl" / "suite"
