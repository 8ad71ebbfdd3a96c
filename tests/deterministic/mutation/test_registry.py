"""The table of operators, and operators of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.deterministic.mutation import OPERATORS, load_operators
from fiducial.errors import ConfigurationError, UsageError

OWN = """
from fiducial.deterministic.mutation import Mutation, Operator

def shout(subject, chance):
    yield Mutation(subject.output, "nothing")

SHOUT = Operator("shout", "tool_call", "twin", shout, "nothing changes")
TAKEN = Operator("off_by_one", "tool_call", "twin", shout, "nothing changes")
SEVERAL = [SHOUT]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_operators.py").write_text(OWN)
    return tmp_path


def test_every_attack_that_has_a_control_names_one():
    for operator in OPERATORS.values():
        if operator.against:
            assert OPERATORS[operator.against].plants == "control"


def test_operators_of_ones_own_come_after_the_built_in_ones(folder: Path):
    for name in ("SHOUT", "SEVERAL"):
        loaded = load_operators([f"my_operators:{name}"], folder)
        assert list(loaded) == [*OPERATORS, "shout"]


def test_a_name_that_is_taken_is_refused(folder: Path):
    with pytest.raises(ConfigurationError, match="'off_by_one' is taken"):
        load_operators(["my_operators:TAKEN"], folder)


def test_what_is_no_operator_is_refused(folder: Path):
    with pytest.raises(ConfigurationError, match="expected an Operator"):
        load_operators(["my_operators:shout"], folder)
    with pytest.raises(UsageError):
        load_operators(["my operators"], folder)
