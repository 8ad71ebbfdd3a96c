from __future__ import annotations

import os
import threading
from contextlib import nullcontext
from pathlib import Path

import click
import pytest

from fiducial.cli.param_types import INPUT, INPUT_FILE, OUT, Number, PassThresholdType, parameters_of
from fiducial.errors import FiducialError, UsageError


def test_an_input_that_is_a_pipe_becomes_its_copy(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a line\n",)).start()
    copy = INPUT.convert(str(tmp_path / "pipe"), None, None)
    assert copy != tmp_path / "pipe"
    assert copy.read_bytes() == b"a line\n"


def test_a_device_is_refused_where_the_option_is_read():
    with pytest.raises(FiducialError, match="is a device"):
        INPUT_FILE.convert("/dev/zero", None, None)


def test_an_output_may_not_be_an_address():
    with pytest.raises(UsageError, match="name a file"):
        OUT.convert("s3://bucket/out.jsonl", None, None)


def test_while_a_shell_completes_a_word_no_address_is_read():
    completing = click.Context(click.Command("check"), resilient_parsing=True)
    assert str(INPUT.convert("s3://bucket/in.jsonl", None, completing)) == "s3:/bucket/in.jsonl"


def test_parameters_are_json_or_else_text():
    given = ["temperature=0", "reasoning_effort=low", "seed=null", "stop=NaN"]
    assert parameters_of("--parameter", given) == {
        "temperature": 0,
        "reasoning_effort": "low",
        "seed": None,
        "stop": "NaN",
    }


@pytest.mark.parametrize("given", ["temperature", "=1", "model=other", "n=2"])
def test_a_parameter_that_cannot_be_set_is_refused_by_the_options_name(given: str):
    with pytest.raises(UsageError, match=r"^--judge-parameter: "):
        parameters_of("--judge-parameter", [given])


def test_the_help_gives_a_number_without_limits_no_range():
    option = click.Option(["--pass-at"], type=Number(), help="Any.")
    assert option.get_help_record(click.Context(click.Command("check"))) == ("--pass-at NUMBER", "Any.")


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("1", ("", 1.0)),
        ("0.001", ("", 0.001)),
        ("a=b=0.5", ("a=b", 0.5)),
        ("0", None),
        ("j=0", None),
        ("1.001", None),
        ("=0.5", None),
    ],
)
def test_a_pass_threshold_is_above_0_and_at_most_1(text: str, threshold: tuple[str, float] | None):
    with nullcontext() if threshold is not None else pytest.raises(click.BadParameter):
        assert PassThresholdType().convert(text, None, None) == threshold
