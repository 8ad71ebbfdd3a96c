from __future__ import annotations

from collections.abc import Callable

import pytest
from each_row import each_row
from packed_items import unpacked

from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.records import JudgeId, Verdict
from fiducial.records.verdict import JudgeKind
from fiducial.report.document import as_html
from fiducial.report.items import packing
from fiducial.report.items.blocks import BLOCK_LIMIT
from fiducial.report.items.packing import FailurePart, Packed, pack
from fiducial.report.items.view import item_document, status_of, verdicts_summary
from fiducial.report.model import ListedItem, ReportItem


def _cases(packed: Packed) -> list[str]:
    index = unpacked(packed.index)
    return [index["cases"][number] for number in index["case"]]


def _texts(packed: Packed) -> list[str]:
    pages = [page for chunk in packed.chunks for page in unpacked(chunk)]
    return [pages[place] for place in unpacked(packed.index)["places"]]


@each_row(
    ("checker", "judge", "status"),
    [
        (1.0, 1.0, "passes"),
        (0.0, 0.0, "fails"),
        (1.0, 0.0, "disagreement"),
        (0.0, 0.75, "disagreement"),
        (None, 1.0, "passes"),
        (None, 0.0, "fails"),
        (1.0, None, "passes"),
        (0.0, None, "fails"),
        (None, None, "not graded"),
    ],
)
def test_an_item_is_what_its_verdicts_agree_on(
    make_item: Callable[..., ListedItem], checker: float | None, judge: float | None, status: str
):
    assert status_of(make_item(checker=checker, judge=judge).verdicts, {}) == status


def test_scores_on_the_same_side_of_the_threshold_agree(make_item: Callable[..., ListedItem]):
    assert status_of(make_item(checker=1.0, judge=0.6).verdicts, {}) == "passes"
    judge = make_item().verdicts.judges[0].author
    assert (
        status_of(make_item(checker=1.0, judge=0.6).verdicts, {judge: PassThreshold(0.7, "told")})
        == "disagreement"
    )


def test_a_label_that_is_a_share_is_held_to_the_threshold_of_the_judge_beside_it(
    make_item: Callable[..., ListedItem],
):
    item = make_item(checker=0.6, judge=0.6)
    thresholds = {item.verdicts.judges[0].author: PassThreshold(1.0, "declared")}
    assert (status_of(item.verdicts, {}), status_of(item.verdicts, thresholds)) == ("passes", "fails")
    assert as_html(item_document(item.read(0, False), thresholds)).count("fail (0.60; threshold 1)") == 2


def test_a_label_that_contradicts_the_checker_is_a_disagreement(make_item: Callable[..., ListedItem]):
    label = Verdict(case_id="case-1", system="alpha", by="ana", source="human", outcome="graded", score=0.0)
    assert status_of(make_item(label=label).verdicts, {}) == "disagreement"


def test_comparing_words_contradicts_nobody_who_has_read_the_output(make_item: Callable[..., ListedItem]):
    words = JudgeId(
        kind="baseline", name="tool_call_accuracy", variant="lexical", model="baseline", fingerprint="f"
    )
    lexical = Verdict(case_id="case-1", system="alpha", by="lexical", source="judge", outcome="graded", score=0.0, judge=words)  # fmt: skip
    beside, alone = make_item(judges=[*make_item().verdicts.judges, lexical]), make_item(judges=[lexical])
    assert (status_of(beside.verdicts, {}), status_of(alone.verdicts, {})) == ("passes", "disagreement")


def test_what_was_said_is_counted_in_a_line(make_item: Callable[..., ListedItem]):
    judges = [*make_item(judge=0.4).verdicts.judges, *make_item(judge=None).verdicts.judges]
    assert (
        verdicts_summary(make_item(judges=judges).verdicts, {})
        == "checker: pass; judges: 1 fail, 1 unparsable"
    )


def test_disagreements_come_first_and_outputs_for_one_case_stand_together_within_a_status(
    make_item: Callable[..., ListedItem],
):
    scores = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (None, None), (0.0, 1.0), (0.0, 0.0)]
    items = [
        make_item(f"c{n % 5}", checker=checker, judge=judge) for n, (checker, judge) in enumerate(scores)
    ]
    chosen = pack(iter(items), {})
    assert _cases(chosen) == ["c2", "c4", "c3", "c0", "c1", "c0"]
    assert chosen.totals == {"disagreement": 2, "not graded": 1, "fails": 2, "passes": 1}


def test_all_are_listed_and_the_texts_of_those_most_worth_reading_are_there(
    make_item: Callable[..., ListedItem],
):
    items = (make_item(f"c{n}", judge=0.0 if n % 100 == 7 else 1.0, text=f"[f(a={n})]") for n in range(1000))
    chosen = pack(items, {}, texts=12)
    assert (chosen.total, chosen.listed, chosen.texts) == (1000, 1000, 12)
    expected = [*range(7, 1000, 100), 0, 1]
    assert _cases(chosen)[:12] == [f"c{n}" for n in expected]
    assert all(f"[f(a={n})]" in text for n, text in zip(expected, _texts(chosen), strict=True))


def test_a_page_holds_the_texts_that_come_first_as_far_as_they_fit(
    make_item: Callable[..., ListedItem], monkeypatch: pytest.MonkeyPatch
):
    items = [make_item(f"c{n}", judge=0.0 if n % 10 == 7 else 1.0) for n in range(70)]
    everything = pack(items, {})
    assert everything.texts == 70
    sizes = [len(page) for page in _texts(everything)]
    monkeypatch.setattr(packing, "_MAX_TEXT_BYTES", sum(sizes[:9]))
    chosen = pack(items, {})
    assert (chosen.texts, chosen.listed) == (9, 70)
    assert _texts(chosen) == _texts(everything)[:9]
    assert pack(items, {}, texts=None).texts == 70


def test_every_text_is_packed_when_asked_for(make_item: Callable[..., ListedItem]):
    chosen = pack([make_item(f"c{n}") for n in range(300)], {}, texts=None)
    assert len(_texts(chosen)) == 300
    assert len(chosen.chunks) > 1


def test_without_texts_everything_is_listed(make_item: Callable[..., ListedItem]):
    chosen = pack([make_item()], {}, texts=0)
    assert (chosen.listed, chosen.texts, chosen.chunks) == (1, 0, [])


def test_every_text_of_an_item_is_bounded(make_item: Callable[..., ListedItem]):
    chosen = pack([make_item(text="x" * 10_000_000, query="q" * 10_000_000)], {})
    assert len(unpacked(chosen.index)["queries"][0]) < 1000
    (text,) = _texts(chosen)
    assert text.count("x" * BLOCK_LIMIT) == 1
    assert len(text) < 3 * BLOCK_LIMIT
    assert f"{10_000_000 - BLOCK_LIMIT:,} more characters" in text


def test_what_judges_were_sent_is_read_of_the_first_items_or_of_all_when_all_texts_are_wanted(
    make_item: Callable[..., ListedItem],
):
    def told(texts: int | None) -> int:
        wanted: list[bool] = []

        def reading(item: ListedItem) -> ListedItem:
            def read(offset: int, asked: bool) -> ReportItem:
                wanted.append(asked)
                return item.read(offset, asked)

            return item._replace(read=read)

        pack((reading(make_item(f"c{n}")) for n in range(60)), {}, texts)
        assert len(wanted) == 60
        return sum(wanted)

    assert 0 < told(60) < 60
    assert told(None) == 60


def judge_verdict(name: str, kind: JudgeKind, score: float) -> Verdict:
    judge = JudgeId(kind=kind, name=name, fingerprint=name)
    return Verdict(
        case_id="case-1",
        system="alpha",
        by=name,
        source="judge",
        outcome="graded",
        score=score,
        judge=judge,
    )


def test_a_baseline_holds_no_label_to_its_threshold_where_a_judge_stands_beside_it(
    make_item: Callable[..., ListedItem],
):
    words, reads = judge_verdict("words", "baseline", 0.4), judge_verdict("reads", "shipped", 0.7)
    item = make_item(checker=0.7, judges=[words, reads]).verdicts
    thresholds = {words.author: PassThreshold(1.0), reads.author: PassThreshold(0.5)}
    assert status_of(item, thresholds) == "passes"
    assert verdicts_summary(item, thresholds).startswith("checker: pass;")


def test_a_label_is_held_to_the_threshold_of_each_judge_that_it_stands_beside(
    make_item: Callable[..., ListedItem],
):
    strict, lax = judge_verdict("strict", "shipped", 1.0), judge_verdict("lax", "shipped", 0.7)
    thresholds = {strict.author: PassThreshold(0.7), lax.author: PassThreshold(0.5)}
    assert status_of(make_item(checker=0.7, judges=[strict, lax]).verdicts, thresholds) == "passes"
    assert status_of(make_item(checker=0.6, judges=[strict, lax]).verdicts, thresholds) == "disagreement"


def test_failures_are_counted_as_listed_and_include_those_that_a_label_or_judge_contradicts(
    make_item: Callable[..., ListedItem],
):
    grades = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (None, 0.0), (None, 1.0), (None, None)]
    items = [make_item(f"c{n}", checker=checker, judge=judge) for n, (checker, judge) in enumerate(grades)]
    packed = pack(items, {})
    index = unpacked(packed.index)
    failed = index["groups"].index("failed")
    cases = [
        case
        for case, group in zip(_cases(packed), index["group"], strict=True)
        if failed in index["grouped"][group]
    ]
    assert sorted(cases) == ["c0", "c1", "c4"]
    judge = items[0].verdicts.judges[0].by
    assert packed.failures == {
        "alpha": [
            FailurePart(n=2, by="failed by a checker", fault=""),
            FailurePart(n=1, by=f"failed only by {judge}", fault=""),
        ]
    }
    assert packed.choices["group"][:2] == ["failed", "ungraded"]
