"""Cards whose numbers contradict each other are refused: a share follows from what is listed as wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import InputError
from fiducial.evaluation.audit.cards.card_consistency import contradiction
from fiducial.evaluation.audit.cards.card_file import read_card
from fiducial.evaluation.audit.cards.card_of_set import foreign_to_set

CARDS = Path(__file__).parents[4] / "docs" / "cards"


def _caught(**fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(card: dict[str, Any]) -> None:
        card["shares"]["caught"].update(fields)

    return change


def _with(part: str | None, **fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(card: dict[str, Any]) -> None:
        (card if part is None else card[part]).update(fields)

    return change


def _list_twice(card: dict[str, Any]) -> None:
    card["misses"].append(card["misses"][0])


def _improve_an_operator(card: dict[str, Any]) -> None:
    first = next(each for each in card["operators"] if each["rate"]["value"] not in {None, 1.0})
    first["rate"].update(value=1.0, high=1.0)


def _improve_natural(card: dict[str, Any]) -> None:
    card["natural"]["caught"].update(value=0.9, low=0.8, high=1.0)


def _leave_out_a_fault(card: dict[str, Any]) -> None:
    """Drop a probe that the judge graded wrongly, from every number that is over it."""
    miss = next(each for each in card["misses"] if each["plants"] == "fault")
    card["misses"].remove(miss)
    card["kinds"]["tool_call"] -= 1
    (operator,) = [each for each in card["operators"] if each["operator"] == miss["operator"]]
    for share in (card["shares"]["caught"], operator["rate"]):
        caught = share["value"] * share["n"]
        share["n"] -= 1
        share["value"] = caught / share["n"]


def _leave_out_an_operator(card: dict[str, Any]) -> None:
    """Drop an operator whose faults were all caught, under another one's name."""
    first, second = [each for each in card["operators"] if each["plants"] == "twin"][:2]
    first["operator"] = second["operator"]


def _rename_the_kind(card: dict[str, Any]) -> None:
    card["kinds"]["<b>tool_call</b>"] = card["kinds"].pop("tool_call")


def _list_another_case(card: dict[str, Any]) -> None:
    card["misses"][0]["case_id"] = "nowhere"


@each_row(
    ("change", "why"),
    [
        (_leave_out_a_fault, "has 353 probes of tool_call, not 352"),
        (_leave_out_an_operator, "has 0 probes of|is not that of"),
        (_rename_the_kind, "has no probes of <b>tool_call</b>"),
        (_list_another_case, "none of its kinds of case"),
        (_caught(value=1.0, low=0.9, high=1.0), "faults caught is not that of the 141 listed"),
        (_caught(n=10_000), "faults caught is not that of the 141 listed"),
        (_caught(value=None, low=None, high=None, n=0), "faults caught is not that of the 141 listed"),
        (_caught(n=-5), "over no probes"),
        (_caught(low=0.9, high=0.1), "not within its interval"),
        (_caught(low=None, high=None), "not within its interval"),
        (_caught(value=1.5), "not between 0 and 1"),
        (_with(None, misses=[]), "faults caught is not that of the 0 listed"),
        (_list_twice, "listed twice"),
        (_improve_an_operator, "is not that of those listed as graded wrongly"),
        (_improve_natural, "natural faults caught is not that of the 73 listed"),
        (_with(None, operators=[]), "another number of probes than those of its operators"),
        (_with(None, kinds={"tool_call": 3}), "360 probes, and its kinds of case 3"),
        (_with("shares", ungraded={"failed": 5}), "another number of probes without a score"),
        (_with("shares", ungraded={"failed": -5}), "a count is negative"),
        (_with("cost", dollars=-5.0), "a count is negative"),
        (_with("cost", from_recording=10**9), "a count is negative"),
    ],
)  # fmt: skip
def test_a_card_that_was_touched_up_is_refused(
    change: Callable[[dict[str, Any]], None], why: str, tmp_path_factory: pytest.TempPathFactory
):
    card = json.loads((CARDS / "tool_call_accuracy-sparrow.json").read_text())
    change(card)
    path = tmp_path_factory.mktemp("card") / "card.json"
    path.write_text(json.dumps(card))
    with pytest.raises(InputError, match=why):
        fd.audit_table(path)


def test_every_published_card_fits():
    cards = [read_card(path) for path in CARDS.glob("*.json")]
    assert {found(card) for card in cards for found in (contradiction, foreign_to_set)} == {""}
