"""Options as types: parts of a verb's settings are taken from the values of its command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiducial.cli.model_options import model_access, select_options
from fiducial.settings.judging_settings import JudgingSettings
from fiducial.settings.verbs.judge import JudgeSettings


def test_a_part_takes_its_own_settings_and_they_do_not_change():
    options = select_options(
        JudgingSettings, {"model": "m", "batch": True, "poll_seconds": 5.0, "rules": "strict"}
    )
    assert (options.model, options.batch_poll_seconds) == ("m", 5.0)
    assert options.replace(batch=False).batch_poll_seconds is None
    with pytest.raises(AttributeError):
        options.model = "other"  # pyright: ignore[reportAttributeAccessIssue] - frozen, which is tried


def test_a_key_over_http_to_another_machine_is_noted(capsys: pytest.CaptureFixture[str]):
    model_access(JudgingSettings(base_url="http://gpu7/v1"), {"OPENAI_API_KEY": "sk-secret-key"})
    told = capsys.readouterr().err
    assert "note: http://gpu7/v1: the key goes to another machine unencrypted" in told
    assert "sk-secret-key" not in told
    model_access(JudgingSettings(base_url="http://gpu7/v1", dry_run=True), {})
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("given", "moving"),
    [
        ({"model": "jev-latest"}, ["jev-latest"]),
        ({"model": "jev-1.14.0", "judges": ("memory_answer@clef-latest",)}, ["clef-latest"]),
        ({"model": "jev-1.14.0"}, []),
    ],
)
def test_every_name_of_a_decision_model_that_moves_is_noted(
    given: dict[str, object], moving: list[str], capsys: pytest.CaptureFixture[str]
):
    endpoint, files = (
        ("http://127.0.0.1:9/v1,api=systemone",),
        {"cases": (), "outputs": (), "out": Path("run")},
    )
    options: Any = {"endpoints": endpoint, "dry_run": True, "judges": (), **files, **given}
    model_access(JudgeSettings(**options), {})
    told = capsys.readouterr().err
    assert told.count("name a version") == len(moving)
    assert all(name in told for name in moving)
    model_access(JudgingSettings(base_url="http://127.0.0.1:9/v1", model="chat-latest", dry_run=True), {})
    assert not capsys.readouterr().err
