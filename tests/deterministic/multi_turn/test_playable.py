"""A reference trajectory that the case's worlds cannot play is refused, with its field."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.checkers import validate_reference
from fiducial.errors import InputError
from fiducial.records import Case


class Garden:
    def load(self, config: dict[str, Any]) -> None:
        self.beds = dict(config)

    def plant(self, bed: str, seed: str = "leek") -> str:
        return f"{seed} in {bed}"

    @staticmethod
    def season(month: int) -> str:
        return "spring" if month < 6 else "autumn"

    @classmethod
    def name(cls) -> str:
        return cls.__name__


OWN = CheckOptions(environments={"Garden": Garden})


def case(*turns: list[str], classes: list[str] | None = None, **fields: Any) -> Case:
    reference = {"classes": classes or ["Garden", "MathAPI"], "calls": list(turns)}
    return Case(id="g", kind="multi_turn", reference=reference, **fields)


def refusal(refused: Case) -> str | None:
    """The message with which a case is refused, or None if it is accepted."""
    try:
        validate_reference(refused, OWN)
    except InputError as error:
        return str(error)
    return None


@each_row(
    "call",
    [
        "plant('a')",
        "plant(bed='a', seed='pea')",
        "plant(bed=str_of)",
        "add(a=add(a=1, b=2), b=3)",
        "plant(*x)",
        "season(month=3)",
        "name()",
    ],
)
def test_what_the_worlds_have_can_be_played(call: str):
    assert refusal(case([], [call])) is None


@each_row(
    ("call", "message"),
    [
        ("plnat(bed='a')", "case 'g': no world of the case has a function 'plnat' (did you mean 'plant'?)"),
        (
            "add(a=plnat(), b=1)",
            "case 'g': no world of the case has a function 'plnat' (did you mean 'plant'?)",
        ),
        ("plant(bad='a')", "case 'g': plant: missing a required argument: 'bed'"),
        ("plant(bed='a', size=3)", "case 'g': plant: got an unexpected keyword argument 'size'"),
        ("plant('a', 'b', 'c')", "case 'g': plant: too many positional arguments"),
        ("load(config={})", "case 'g': no world of the case has a function 'load'"),
        ("plant", "case 'g': expected a call as source text, got 'plant'"),
        ("plant(bed='a", "case 'g': expected a call as source text, got \"plant(bed='a\": "),
    ],
)
def test_what_they_do_not_have_is_refused_with_turn_and_call(call: str, message: str):
    with pytest.raises(InputError) as caught:
        validate_reference(case([], ["plant('a')", call]), OWN)
    assert str(caught.value).startswith(f"reference.calls[1][1]: {message}")


def test_a_world_that_is_not_there_is_refused():
    with pytest.raises(
        InputError, match=r"reference\.classes: case 'g': no environment is called 'Gardn'; known are"
    ):
        validate_reference(case(classes=["Gardn"]), OWN)


def test_entries_that_bfcl_has_retired_keep_their_ways():
    assert refusal(case(["plnat()"])) is not None
    assert refusal(case(["plnat()"], tags={"group": "retired"})) is None


def test_expected_results_without_a_way_of_comparing_them_are_refused():
    executable = Case(id="e", kind="executable_call", reference={"calls": ["f()"], "match": []})
    with pytest.raises(InputError, match="case 'e': expected calls, and for each of them how it is matched"):
        validate_reference(executable, CheckOptions())
