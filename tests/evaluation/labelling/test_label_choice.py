"""Labels say how their outputs were chosen."""

from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.evaluation.labelling.label_choice import choice_of, with_choice
from fiducial.records import Verdict

RANDOM, DRAWN = {"chosen_by": "random"}, {"review": {"sample": "open"}}


def label(case: int, evidence: dict[str, Any], score: float | None = 1.0) -> Verdict:
    outcome: Any = "graded" if score is not None else "undecided"
    return Verdict(
        case_id=f"c{case}",
        system="s",
        source="human",
        by="a",
        outcome=outcome,
        score=score,
        evidence=evidence,
    )


@each_row(
    ("evidence", "choice"),
    [
        ([], None),
        ([{}], None),
        ([RANDOM, RANDOM], "random"),
        ([DRAWN, DRAWN], "review"),
        ([DRAWN, RANDOM], "random"),
        ([DRAWN, {}], None),
        ([{"chosen_by": "label"}, RANDOM], None),
        ([{"chosen_by": ["random"]}], None),
        ([{"chosen_by": "moon"}], None),
        ([{"review": {"sample": "doubt"}}], None),
    ],
)
def test_labels_say_how_outputs_were_chosen_only_together(evidence: list[dict[str, Any]], choice: str | None):
    assert choice_of(label(n, each) for n, each in enumerate(evidence)) == choice


def test_the_last_label_of_an_output_counts():
    assert choice_of([label(0, {}), with_choice(label(0, {}), "system")]) == "system"
    assert choice_of([label(0, RANDOM), label(1, {}, score=None)]) == "random"
