from __future__ import annotations

import msgspec
import numpy as np
from each_row import each_row

from fiducial.calibration.comparison.prompt_gain import (
    HeldOutItems,
    OperatorChange,
    ProbedPair,
    operator_changes,
    prompt_gain,
)
from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.improvement.improvement_results import (
    HoldoutLook,
    Improvement,
    ImprovementAnswer,
    ImprovementCost,
    SideSize,
    TriedPrompt,
)
from fiducial.report.document import as_lines
from fiducial.report.text.improvement_text import improvement_document, improvement_screen
from fiducial.report.text.one_screen import one_screen

SHARE = Statistic(value=0.8, low=0.7, high=0.9, n=100)
SIDE = SideSize(items=100, groups=50, adjudicated=3, undecidable=1)


def changes(lost: int, n: int) -> list[OperatorChange]:
    pairs = [ProbedPair("operator", "fault", True, i >= lost, f"c{i}") for i in range(n)]
    return operator_changes(pairs)


def numbers(answer: ImprovementAnswer, tried: int = 2, lost: int = 0, n: int = 100) -> Improvement:
    won = np.arange(200) < 30
    return Improvement(
        prompt="a-prompt-with-quite-a-long-name.prompty",
        judge="a-prompt-with-quite-a-long-name/custom@a-model-with-a-long-name-2026-11-23",
        answer=answer,
        development=SIDE,
        holdout=SIDE,
        current=TriedPrompt(
            name="a-prompt-with-quite-a-long-name/custom@a-model", agreement=SHARE, ungraded=7
        ),
        tried=[
            TriedPrompt(
                name=f"candidate-{n}", path=f"p{n}", agreement=SHARE, refused="drops it" if n == 1 else None
            )
            for n in range(tried)
        ],
        best="p0",
        look=HoldoutLook(look=2, alpha=0.005, candidate="candidate-0", sha256="", labels="", at=""),
        gain=prompt_gain(HeldOutItems(~won, won | ~won, np.arange(200), ~won), 0.005),
        ungraded=[3, 4],
        changes=changes(lost, n),
        costs=[
            ImprovementCost(
                part="holdout", verdicts=2, calls=2, prompt_tokens=10, completion_tokens=1, cost=0.5
            )
        ],
        written="somewhere/improved.prompty" if answer == "improved" else None,
    )


@each_row("tried", [1, 16])
@each_row(
    "answer", ["improved", "no candidate", "no better in development", "gain not shown", "worse on probes"]
)
def test_the_answer_stands_first_on_one_screen(answer: ImprovementAnswer, tried: int):
    lines = list(as_lines(one_screen(improvement_screen(numbers(answer, tried)), 22), width=80))
    assert len(lines) <= 22
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("candidate-0 is better" if answer == "improved" else "No prompt written")


def test_a_loss_is_named_with_its_n_and_interval():
    told = "\n".join(as_lines(improvement_document(numbers("worse on probes", lost=30))))
    assert "but is worse on probes of operator" in told
    assert "operator  100  -0.300  [" in told
    assert "1 worse, of 1 operator" in told


def test_a_loss_that_is_only_not_excluded_is_said_so():
    told = "\n".join(as_lines(improvement_document(numbers("worse on probes", lost=2, n=30))))
    assert "but may be worse on probes of operator" in told
    assert "1 not shown, of 1 operator" in told


def test_probes_are_listed_by_certain_change_with_unknown_ones_first():
    bounds = {"zero": 0.0, "lost": -0.4, "unknown": None, "gained": 0.1}
    listed = [
        msgspec.structs.replace(changes(0, 100)[0], operator=name, at_least=bound)
        for name, bound in bounds.items()
    ]
    shown = msgspec.structs.replace(numbers("improved"), changes=listed)
    told = "\n".join(as_lines(improvement_document(shown)))
    assert sorted(bounds, key=lambda name: told.index(f"\n{name} ")) == ["unknown", "lost", "zero", "gained"]


def test_everything_tells_costs_ungraded_items_and_what_nobody_adjudicated():
    told = "\n".join(as_lines(improvement_document(numbers("improved"))))
    assert "Ungraded, which agrees with no label: 3 by" in told
    assert "rests on labels that nobody adjudicated (30 items won, 0 lost)" in told
    assert "0.50" in told
    assert "refused: candidate-1: drops it" in told
    assert "one-sided, 99.5 %" in told


def test_refused_candidates_are_not_said_to_be_missing_and_their_reason_is_on_the_screen():
    found = numbers("no candidate", tried=1)
    refused = msgspec.structs.replace(
        found.tried[0],
        agreement=None,
        refused="declares another threshold: add `pass_at: 0.5` in its front matter",
    )
    told = list(as_lines(improvement_screen(msgspec.structs.replace(found, tried=[refused]))))
    assert told[0] == "No prompt written: the only candidate was refused. The holdout was not looked at."
    assert "refused: candidate-0: declares another threshold: add `pass_at: 0.5` in its front matter" in told
