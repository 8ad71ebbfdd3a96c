from __future__ import annotations

from pathlib import Path

import pytest
from late_pipe import read_late, waiting_for

from fiducial.api.paths import input_path, written_path
from fiducial.errors import InputError, UsageError


def test_a_path_that_was_made_of_an_address_is_refused():
    with pytest.raises(UsageError, match=r"s3:/bucket/key: a Path cannot hold an address; give it as a text"):
        input_path(Path("s3://bucket/key"))


@pytest.mark.parametrize("given", ["run", Path("run"), "file:///run"])
def test_a_place_on_this_machine_is_a_path(given: str | Path):
    assert input_path(given) == written_path(given)


def test_who_reads_a_pipe_is_told_that_nobody_writes(tmp_path: Path):
    pipe = tmp_path / "pipe"
    assert read_late(pipe, input_path) == (b"late\n", [waiting_for(pipe)])


def test_a_device_is_no_input():
    with pytest.raises(InputError, match="is a device"):
        input_path("/dev/zero")
