"""Failures: the commonest on the terminal, all in a page, each row with the items it counts."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

from found_results import judged, systems
from html_page import Page
from msgspec.structs import replace
from packed_items import index_of

from fiducial.evaluation.conclusion.run_results import OPEN, FaultExample, StratumRate, SystemResult
from fiducial.records import JudgeId, Verdict
from fiducial.report.document import as_lines
from fiducial.report.html import render_report
from fiducial.report.items.naming import FAILED_CHECK
from fiducial.report.items.packing import FailurePart
from fiducial.report.model import ListedItem, ReportData
from fiducial.report.text.failures_text import commonest_failures, failure_parts, failures_document

JUDGE = "tool_call_accuracy/short@some-model"


def judged_part(by: str, value: float, fractions: int = 0) -> StratumRate:
    return StratumRate(name=OPEN, by=by, n=10, of=10, value=value, low=0.0, high=1.0, fractions=fractions)


def test_a_failure_says_what_was_wrong_with_an_example():
    faults = {"value_error:string": 1204, "type_error:simple": 3}
    examples = {"value_error:string": FaultExample(item="trip-1|a|0", reason="argument city: got 'Bern'")}
    system = SystemResult(system="a", strata=systems("a")[0].strata, faults=faults, examples=examples)
    assert list(as_lines(failures_document([system], []))) == [
        "Commonest failures:",
        "  1,204  wrong text value; trip-1: argument city: got 'Bern'",
        "      3  wrong type of a value",
    ]


def test_where_only_judges_failed_outputs_each_judge_has_a_row():
    strata = [judged_part("mild", 0.9), judged_part("strict", 0.2), judged_part("shares", 0.5, fractions=4)]
    found = commonest_failures(systems("a", strata=strata), judged("mild", "strict", "shares"))
    assert [(failure.n, failure.what) for failure in found] == [
        (8, "failed by strict"),
        (1, "failed by mild"),
    ]


def test_a_judges_failures_have_an_example_as_a_checkers_do():
    strata = [judged_part("mild", 0.9), judged_part("strict", 0.2)]
    examples = {"strict": FaultExample(item="trip-1|a|0", reason="not stated <P>0</P>")}
    (system,) = systems("a", strata=strata, judged_examples=examples)
    found = commonest_failures([system], judged("mild", "strict"))
    assert [failure.example for failure in found] == ["trip-1: not stated: not supported", ""]


def test_beside_faults_the_strictest_judge_stands_for_all_and_a_baseline_for_none():
    words = JudgeId(kind="baseline", name="words", variant="lexical", fingerprint="f")
    uses = [*judged("mild", "strict"), replace(judged("words")[0], id=words)]
    strata = [judged_part("mild", 0.9), judged_part("strict", 0.2), judged_part("words", 0.0)]
    found = commonest_failures(systems("a", strata=strata, faults={"system_error": 2}), uses)
    assert [failure.n for failure in found] == [8, 2]


def listed(page: str, address: str) -> int:
    """Count the items that a page lists at an address."""
    wanted = {name: value for name, (value,) in parse_qs(address.partition("?")[2]).items()}
    index = index_of(page)
    return sum(
        all(
            wanted[name] in [index["groups"][each] for each in index["grouped"][index["group"][row]]]
            if name == "group"
            else index[f"{name}s" if name != "status" else "statuses"][index[name][row]] == wanted[name]
            for name in wanted
        )
        for row in range(len(index["case"]))
    )


def test_the_page_shows_every_failure_in_parts_that_add_up_and_each_leads_to_its_items(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    checked = Verdict(
        case_id="c", system="alpha", by="ast/strict", source="checker", outcome="graded", score=0.0
    )
    wrong = replace(checked, error_type="value_error:string")
    fault = make_item("f1", checker=0.0, judge=1.0)  # the judge disagrees
    fault = fault._replace(verdicts=replace(fault.verdicts, checker=wrong))
    failed = [make_item(f"j{n}", checker=None, judge=0.0) for n in range(3)]
    both = make_item("b1", checker=None, judge=0.0)
    (first,) = both.verdicts.judges
    assert isinstance(first, Verdict)
    both = both._replace(verdicts=replace(both.verdicts, judges=[first, replace(first, by="another@m")]))
    passed = [make_item("p1", checker=None, judge=1.0), make_item("p2", checker=1.0, judge=0.0)]
    result = replace(
        data.systems[0],
        faults={"value_error:string": 1},
        examples={"value_error:string": FaultExample(item="f1|alpha|0", reason="got 'Bern'")},
    )
    page = render_report(replace(data, systems=[result]), [fault, both, *failed, *passed])
    parsed = Page(page)
    links = [(link.get("href") or "", link.get("title")) for link in parsed.of("a")]
    parts = [each for each in links if "group=failed+" in each[0] and "alpha" in each[0]]
    assert [listed(page, address) for address, _ in parts] == [3, 1, 1]
    assert [title for address, title in parts if "fault=" in address] == ["f1: got 'Bern'"]
    (every,) = (address for address, _ in links if address.endswith("group=failed&system=alpha"))
    assert listed(page, every) == 5
    text = parsed.text()
    assert all(
        each in text for each in (f"3 failed by {JUDGE}", "1 failed by several judges", "1 wrong text value")
    )


def test_many_kinds_of_failures_end_with_one_part_of_the_others():
    (system,) = systems("a")
    parts = [FailurePart(30 - n, FAILED_CHECK, f"fault_{n}") for n in range(20)]
    shown = failure_parts(system, parts, {})
    assert len(shown) == 16
    assert sum(failure.n for failure in shown) == sum(part.n for part in parts)
    assert (shown[-1].what, shown[-1].address) == ("of 5 other kinds", "")


def test_failures_that_an_untested_judge_found_are_marked():
    (system,) = systems("a")
    parts = [
        FailurePart(4, FAILED_CHECK, "fault"),
        FailurePart(3, "failed by j", ""),
        FailurePart(2, "failed by k", ""),
    ]
    shown = failure_parts(system, parts, {}, {"failed by k"})
    assert [failure.is_untested for failure in shown] == [False, False, True]
