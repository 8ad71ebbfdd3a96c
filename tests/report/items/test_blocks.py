from __future__ import annotations

from fiducial.records import Verdict
from fiducial.report.items.blocks import cited


def _judge(reason: str) -> Verdict:
    return Verdict(
        case_id="c", system="s", by="j", source="judge", outcome="graded", score=1.0, reason=reason
    )


def test_a_passage_is_referred_to_by_its_id_or_its_number():
    found = cited(["result-1", "b", "c"], "So it is [result-1], and [2, 3].", {}, [])
    assert found == [["the answer"], ["the answer"], ["the answer"]]


def test_judges_and_right_claims_refer_to_passages():
    claims = [{"supported": True, "indexes": ["a"]}, {"supported": False, "indexes": ["b"]}]
    found = cited(["a", "b"], "", {"claims": claims}, [_judge("1. It is, indexes [2] <P>1</P>")])
    assert found == [["a right claim"], ["j"]]


def test_other_brackets_refer_to_nothing():
    assert cited(["a"], "list[int] and [x", {"claims": "none"}, [_judge("indexes [] and [a]")]) == [[]]


def test_brackets_without_end_take_no_time():
    assert cited(["a"], "[" * 100_000 + "indexes [" * 10_000, {}, [_judge("indexes [" * 50_000)]) == [[]]


def test_a_number_that_is_an_id_cites_only_the_passage_of_that_id():
    assert cited(["0", "1", "2"], "see [1]", {}, []) == [[], ["the answer"], []]
