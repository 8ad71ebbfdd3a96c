"""Options as types: parts of a verb's settings are taken from the values of its command."""

from __future__ import annotations

import pytest

from fiducial.cli.model_options import select_options
from fiducial.settings.judging_settings import JudgingSettings


def test_a_part_takes_its_own_settings_and_they_do_not_change():
    options = select_options(
        JudgingSettings, {"model": "m", "batch": True, "poll_seconds": 5.0, "rules": "strict"}
    )
    assert (options.model, options.batch_poll_seconds) == ("m", 5.0)
    assert options.replace(batch=False).batch_poll_seconds is None
    with pytest.raises(AttributeError):
        options.model = "other"  # pyright: ignore[reportAttributeAccessIssue] - frozen, which is tried
