"""Imports of the commands: scipy's statistics package takes half a second, and stays out."""

from __future__ import annotations

import subprocess
import sys


def test_calibrating_comparing_and_preferring_do_not_import_scipys_statistics() -> None:
    code = "import sys; from fiducial.calibration import calibrate, compare, estimate; from fiducial.api.preferring import prefer; print('scipy.stats' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
