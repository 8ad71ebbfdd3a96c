"""Commonest failures: one list for terminal and page, each row with the items it counts."""

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
from fiducial.report.model import ListedItem, ReportData
from fiducial.report.text.failures_text import commonest_failures, failures_document

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
    assert [(each.n, each.what) for each in found] == [(8, "failed by strict"), (1, "failed by mild")]


def test_beside_faults_the_strictest_judge_stands_for_all_and_a_baseline_for_none():
    words = JudgeId(kind="baseline", name="words", variant="lexical", fingerprint="f")
    uses = [*judged("mild", "strict"), replace(judged("words")[0], id=words)]
    strata = [judged_part("mild", 0.9), judged_part("strict", 0.2), judged_part("words", 0.0)]
    found = commonest_failures(systems("a", strata=strata, faults={"system_error": 2}), uses)
    assert [each.n for each in found] == [8, 2]


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


def test_page_and_terminal_show_the_same_failures_and_each_leads_to_its_items(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    checked = Verdict(
        case_id="c", system="alpha", by="ast/strict", source="checker", outcome="graded", score=0.0
    )
    wrong = replace(checked, error_type="value_error:string")
    fault = make_item("f1", checker=0.0, judge=1.0)  # the judge disagrees
    fault = fault._replace(verdicts=replace(fault.verdicts, checker=wrong))
    failed = [make_item(f"j{n}", checker=None, judge=0.0) for n in range(3)]
    passed = [make_item("p1", checker=None, judge=1.0), make_item("p2", checker=1.0, judge=0.0)]
    result = replace(
        data.systems[0],
        strata=[data.systems[0].strata[0], replace(judged_part(JUDGE, 0.25), n=4, of=4)],
        faults={"value_error:string": 1},
        examples={"value_error:string": FaultExample(item="f1|alpha|0", reason="got 'Bern'")},
    )
    page = render_report(replace(data, systems=[result]), [fault, *failed, *passed])
    found = commonest_failures([result], data.judges)
    assert [(each.n, each.what) for each in found] == [
        (3, f"failed by {JUDGE}"),
        (1, "wrong text value"),
    ]
    parsed = Page(page)
    text = parsed.text()
    links = [(link["href"], link.get("title")) for link in parsed.of("a")]
    for each in found:
        assert f"{each.n} {each.what}" in text
        assert (each.address, each.example or None) in links
        assert listed(page, each.address) == each.n
