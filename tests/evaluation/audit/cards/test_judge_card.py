"""Probabilities on cards: the numbers of `calibrate`, only where they are declared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import fiducial as fd
from fiducial.errors import InputError
from fiducial.evaluation.audit.audit_plan import AuditPlan
from fiducial.evaluation.audit.cards.card_file import read_card
from fiducial.evaluation.audit.cards.card_run import CardPlan, card_forecasts
from fiducial.evaluation.audit.cards.judge_card import card_probabilities
from fiducial.evaluation.audit.probe_folder import ProbeFacts, ProbeRole
from fiducial.evaluation.audit.scored import ScoredProbe
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.records import ItemKey

CARDS = Path(__file__).parents[4] / "docs" / "cards"


def probe(number: int, plants: ProbeRole, score: float | None) -> ScoredProbe:
    key = ItemKey(f"case-{number}", "s", 0)
    facts = ProbeFacts(key, "o", plants, key, 1.0 if plants in {"nothing", "twin"} else 0.0, "")
    outcome = "failed" if score is None else "graded"
    scores = () if score is None else (score,)
    return ScoredProbe(facts, f"cluster-{number % 9}", score, outcome, None, scores)


PROBES = [
    *(probe(number, "nothing", round(0.403 + number / 60, 3)) for number in range(30)),
    *(probe(number, "twin", round(0.303 + number / 60, 3)) for number in range(30, 40)),
    *(probe(number, "fault", round(0.003 + number / 90, 3)) for number in range(50)),
]


def test_the_numbers_are_those_of_calibrate():
    rows = [
        {"item_id": str(number), "judge": "j", "score": each.score, "label": each.facts.label, "cluster": each.cluster}
        for number, each in enumerate(PROBES)
    ]  # fmt: skip
    found = card_probabilities(PROBES)
    calibrated = fd.calibrate(rows, scores_are="probabilities")
    assert found is not None
    assert found.ece == calibrated.judges["j"].statistics["ece"]
    for name in ("calibration_in_the_large", "brier", "brier_of_base_rate"):
        assert getattr(found, name) == calibrated.probability["j"].calibration[name]


def test_attacks_controls_and_what_has_no_score_are_left_out():
    others = [probe(91, "attack", 1.0), probe(92, "control", 1.0), probe(93, "fault", None)]
    assert card_probabilities([*PROBES, *others]) == card_probabilities(PROBES)
    assert card_probabilities(others) is None


def test_only_judges_that_declare_probabilities_have_such_numbers():
    given = {card.id.name for card in map(read_card, CARDS.glob("*.json")) if card.probabilities is not None}
    # The decisions about grounded answers are an expected share of several questions.
    assert given == {"tool_call_accuracy", "memory_answer", "web_search_answer", "task_completion"}
    for card in map(read_card, CARDS.glob("*.json")):
        assert card.probabilities is None or (card.id.model, card.id.variant) == ("sparrow", "decision")


def test_a_row_for_each_part_is_in_the_table():
    card = CARDS / "tool_call_accuracy-sparrow.json"
    shown = fd.audit_table(card).to_markdown()
    assert shown.count("the set") == shown.count("natural part") == 1
    assert "ECE" in shown
    assert "ECE" not in fd.audit_table(CARDS / "always-pass.json").to_markdown()


@pytest.mark.parametrize(
    ("name", "value"), [("brier", 1.5), ("ece", -0.1), ("calibration_in_the_large", -1.1)]
)
def test_numbers_that_no_probabilities_give_are_refused(name: str, value: float, tmp_path: Path):
    card = json.loads((CARDS / "memory_answer-sparrow.json").read_text())
    card["probabilities"][name]["value"] = value
    (tmp_path / "card.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="no probabilities"):
        fd.audit_table(tmp_path / "card.json")


def test_a_decision_model_is_asked_in_no_other_form(tmp_path: Path):
    asked: dict[str, Any] = {"model": "m", "judges": ["memory_answer"], "api": "systemone"}
    audit = AuditPlan(probes=None, out=Path(), command="", repeats=1, **asked)
    forecasts = card_forecasts(CardPlan(out=tmp_path / "card.json", audit=audit), ModelAccess(), None)
    assert [forecast.by for forecast in forecasts] == ["memory_answer/decision@m"]
    card = read_card(CARDS / "memory_answer-sparrow.json")
    assert forecasts[0].outputs == card.cost.verdicts == sum(card.kinds.values())


def test_a_card_without_such_numbers_is_read_as_well(tmp_path: Path):
    card = json.loads((CARDS / "always-pass.json").read_text())
    del card["probabilities"], card["natural"]["probabilities"], card["natural"]["misses"]
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert msgspec.structs.asdict(read_card(tmp_path / "card.json"))["probabilities"] is None
