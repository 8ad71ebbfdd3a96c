"""Former names of the results in `fiducial.calibration` still work, and warn."""

from __future__ import annotations

import pytest

from fiducial import calibration


@pytest.mark.parametrize("name", ["Calibration", "Comparison", "Estimation"])
def test_a_former_name_of_a_result_works_and_warns(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"now {name}Numbers"):
        assert getattr(calibration, name) is getattr(calibration, f"{name}Numbers")
