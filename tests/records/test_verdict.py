"""Authors of verdicts: how often they are asked, and names that tell them apart."""

from __future__ import annotations

from typing import get_args

from each_row import each_row

from fiducial.records import JudgeId, ShownNames
from fiducial.records.verdict import JudgeKind


def judge(kind: JudgeKind = "own", fingerprint: str = "0" * 64) -> JudgeId:
    return JudgeId(kind=kind, name="j", variant="custom", model="m", fingerprint=fingerprint)


@each_row("kind", get_args(JudgeKind))
def test_a_judge_is_asked_each_repeat_but_a_baseline_and_a_jury_once(kind: JudgeKind):
    assert judge(kind).times_asked(5) == (1 if kind in {"baseline", "jury"} else 5)


def test_judges_of_one_name_are_shown_with_as_much_of_their_fingerprints_as_differs():
    names = ShownNames()
    alike = [judge(fingerprint="1" * 6 + digit * 58) for digit in "234"]
    assert [names.of(id_, "j") for id_ in (*alike, alike[0])] == ["j", "j#111111", "j#1111114", "j"]
    assert names.judges == {"j": alike[0], "j#111111": alike[1], "j#1111114": alike[2]}


def test_authors_known_by_name_only_are_numbered():
    names = ShownNames()
    assert [names.of(judge(), "ann"), names.of("ann", "ann"), names.of("other", "ann")] == [
        "ann",
        "ann#2",
        "ann#3",
    ]
