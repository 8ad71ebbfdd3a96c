"""Options as types: every field is an option of the commands that use the type."""

from __future__ import annotations

import click
import msgspec
import pytest

from fiducial.cli.main import cli
from fiducial.cli.model_options import (
    AccessOptions,
    GeneratingOptions,
    JudgingOptions,
    RunOptions,
    select_options,
)

OF_JUDGES = {"model", "judge_parameters", "repeats", "batch", "poll_seconds"}
OF_GENERATING = set(GeneratingOptions.__struct_fields__) - set(JudgingOptions.__struct_fields__)


@pytest.mark.parametrize(
    ("name", "kind", "without"),
    [
        ("fiducial run", RunOptions, set[str]()),
        ("fiducial judge", RunOptions, {"generate", "generate_base_url", *OF_GENERATING}),
        ("fiducial compare", JudgingOptions, set[str]()),
        ("fiducial audit run", JudgingOptions, set[str]()),
        ("fiducial generate", GeneratingOptions, OF_JUDGES - {"model"}),
        ("fiducial bfcl generate", AccessOptions, set[str]()),
    ],
)
def test_every_field_is_an_option(name: str, kind: type[msgspec.Struct], without: set[str]):
    command: click.Command | None = cli
    for word in name.split()[1:]:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    options = {param.name for param in command.params if param.expose_value}
    assert set(kind.__struct_fields__) - without - options == set()


def test_options_are_typed_once_and_cannot_change():
    options = select_options(
        JudgingOptions, {"model": "m", "batch": True, "poll_seconds": 5.0, "rules": "strict"}
    )
    assert (options.model, options.batch_poll_seconds) == ("m", 5.0)
    assert msgspec.structs.replace(options, batch=False).batch_poll_seconds is None
    with pytest.raises(AttributeError):
        options.model = "other"  # pyright: ignore[reportAttributeAccessIssue] - frozen, which is tried
