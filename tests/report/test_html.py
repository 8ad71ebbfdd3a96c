from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from found_results import judged, panel
from html_page import Page
from packed_items import index_of, texts_of

from fiducial.calibration.agreement.calibration_results import Calibration, read_calibration
from fiducial.errors import InputError
from fiducial.evaluation.conclusion.run_results import CORRECTED, OPEN, StratumRate
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.evaluation.store.manifest import Counts
from fiducial.records import ContextItem, Output, StepOutcome, ToolCall
from fiducial.report.document import CautionLine, Figure, as_html
from fiducial.report.document_parts import DocumentTable
from fiducial.report.first_answers import answers
from fiducial.report.html import costs_document, render_report, trust_document, write_report
from fiducial.report.items.sent_prompts import SentPrompt
from fiducial.report.model import ItemVerdicts, ListedItem, ReportData, ReportItem


def test_a_judge_has_its_word_its_rates_what_it_misses_and_its_labels():
    found = RunSummary(
        systems=[],
        judges=judged("j"),
        calibration=Calibration(judges={"j": panel((0.9, 0.8), (0.92, 0.85))}),
    )
    shown = as_html(trust_document(answers(found).trust, {"checkers": 1800, "people": 7, "construction": 0}))
    assert "needs more labels" in shown
    assert "it lets 8 of 100 bad outputs through and rejects 10 of 100 good ones" in shown
    assert "8 of 100" in shown
    assert "20 %" in shown
    assert "Labels: 1,800 by checkers, 7 by people." in shown
    assert "Certificates in the run&#39;s folder: none." in shown
    shown = as_html(
        trust_document(answers(found).trust, {}, {"j": ["certified: accuracy at least 0.9 holds"]})
    )
    assert "j: certified: accuracy at least 0.9 holds" in shown


def test_outputs_pass_or_fail_and_a_number_at_worst_has_no_drawing_without_an_axis(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    page = render_report(data, [make_item("a"), make_item("b", checker=0.0, judge=0.0)])
    totals = re.search(r'<ul class="totals">.*?</ul>', page, re.DOTALL)
    assert totals is not None
    words = Page(totals[0]).text()
    assert "1 failure" in words
    assert "1 pass" in words
    assert not re.search(r"\b(right|wrong)\b", words)
    trusted = re.search(r'<article id="trusted">.*?</article>', page, re.DOTALL)
    assert trusted is not None
    assert "<svg" not in trusted[0]


def test_without_judges_there_is_nothing():
    assert trust_document([], {}) == []
    assert costs_document([], None) == []


def test_what_was_not_spent_has_no_column(data: ReportData, make_item: Callable[..., ListedItem]):
    free = msgspec.structs.replace(data.judges[0], calls=0, prompt_tokens=0, completion_tokens=0, cost=None)
    (table,) = [piece for piece in costs_document([free], None) if isinstance(piece, DocumentTable)]
    assert not {"Calls", "Tokens in", "Tokens out", "Cost"} & set(table.head)
    page = Page(render_report(msgspec.structs.replace(data, judges=[free]), [make_item()]))
    assert "Verdicts" in page.inside("h2")
    assert "Costs" not in page.text()


def test_outputs_without_a_score_are_counted_with_the_reason_below_the_costs():
    (judge,) = judged("j")
    failing = msgspec.structs.replace(
        judge, outcomes={"graded": 2, "failed": 3}, reasons={"failed": {"HTTP 400: no such model": 3}}
    )
    lines = [piece.text for piece in costs_document([failing], None) if isinstance(piece, CautionLine)]
    assert lines == ["j: 3 failed: HTTP 400: no such model"]
    assert not [piece for piece in costs_document([judge], None) if isinstance(piece, CautionLine)]


def test_cost_is_drawn_against_accuracy_where_two_have_both(data: ReportData, calibration: dict[str, Any]):
    (use,) = data.judges
    entry = next(iter(calibration["judges"].values()))
    entry["statistics"]["accuracy"] = {"value": 0.84, "n": 245}
    judges = [
        msgspec.structs.replace(use, name=name, cost=cost)
        for name, cost in (("a", 0.1), ("b", 0.2), ("c", None))
    ]
    found = read_calibration({"judges": dict.fromkeys(("a", "b", "c"), entry)})
    figures = [piece for piece in costs_document(judges, found) if isinstance(piece, Figure)]
    assert [each.caption for each in figures] == ["Accuracy by $ a verdict"]
    assert "b 0.0007547 $ a verdict, accuracy 0.84" in figures[0].svg
    unpriced = [msgspec.structs.replace(use, cost=None) for use in judges]
    (figure,) = [piece for piece in costs_document(unpriced, found) if isinstance(piece, Figure)]
    assert figure.caption == "Accuracy by tokens a verdict"
    assert not [piece for piece in costs_document(judges[:1], found) if isinstance(piece, Figure)]


HOSTILE = '</pre></script></style><script>alert(1)</script><img src=x onerror=alert(1)>"\'><b onclick="x">\u202e\ud800{{ 7*7 }}'
_ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "h3", "h4", "nav", "a", "main", "section",
    "div", "desc", "caption", "table", "thead", "tbody", "tr", "th", "td", "svg", "text", "line", "path", "circle", "rect", "small", "span", "bdi",
    "dl", "dt", "dd", "ul", "li", "details", "summary", "figure", "figcaption", "abbr",
        "article", "form", "label", "input", "select", "button", "dialog", "kbd",
    "option", "output", "code", "pre", "strong", "script",
}  # fmt: skip


def hostile_calibration(calibration: dict[str, Any]) -> Calibration:
    entry = next(iter(calibration["judges"].values()))
    for statistic in entry["statistics"].values():
        statistic["method"] = HOSTILE
        statistic["undefined"] = HOSTILE
    statistic = next(iter(entry["statistics"].values())) | {"value": None}
    system = {"n": 1, "label_mean": 0.5, "score_mean": 0.5, "difference": statistic}
    order = {"systems": {HOSTILE: system}, "kendall_tau_b": statistic, "largest_difference": statistic}
    rates = {"true_positive_rate": statistic, "true_negative_rate": statistic}
    pair = {"a": HOSTILE, "b": HOSTILE, "n": 1, "observed": 1, "expected": 0.5, "residual": 0.5}
    comparison = calibration["comparison"]
    compared = comparison["pairs"][0] | {"a": HOSTILE, "b": HOSTILE, "difference": statistic}
    best = {"name": HOSTILE, "n": 1, "apparent": statistic, "held_out": statistic}
    hostile = {
        "judges": {HOSTILE: entry},
        "comparison": comparison | {"pairs": [compared], "best": best},
        "cautions": [{"kind": "few_clusters", "about": {HOSTILE: 7}}],
        "baselines": {HOSTILE: entry},
        "slices": {HOSTILE: {HOSTILE: {HOSTILE: entry}}},
        "people": {"names": [HOSTILE], "krippendorff_alpha": {HOSTILE: statistic}},
        "systems": {HOSTILE: order},
        "probability": {HOSTILE: {"groups": 1, "grouping": HOSTILE, "statistics": {HOSTILE: statistic}}},
        "dawid_skene": {"prevalence": statistic, "judges": {HOSTILE: rates}, "pairs": [pair]},
    }
    return read_calibration(hostile)


def hostile_data(data: ReportData, calibration: dict[str, Any]) -> ReportData:
    result = data.systems[0]
    strata = [
        msgspec.structs.replace(
            stratum, name=HOSTILE, by=HOSTILE, note=HOSTILE, undefined=HOSTILE, method=HOSTILE
        )
        for stratum in result.strata
    ]
    faults = {HOSTILE: 1, f"a:{HOSTILE}": 2}
    return msgspec.structs.replace(
        data,
        title=HOSTILE,
        created=HOSTILE,
        command=HOSTILE,
        records=HOSTILE,
        notes=[HOSTILE],
        versions={HOSTILE: HOSTILE},
        inputs=[msgspec.structs.replace(data.inputs[0], name=HOSTILE, sha256=HOSTILE)],
        systems=[msgspec.structs.replace(result, system=HOSTILE, strata=strata, faults=faults)],
        judges=[msgspec.structs.replace(data.judges[0], name=HOSTILE, fingerprint=HOSTILE)],
        calibration=hostile_calibration(calibration),
    )


def always(item: ReportItem) -> Callable[[int, bool], ReportItem]:
    return lambda _offset, _asked: item


def hostile_item(make_item: Callable[..., ListedItem]) -> ListedItem:
    item = make_item(
        HOSTILE,
        judge=0.0,
        query=HOSTILE,
        category=HOSTILE,
        kind="tool_call",
        asks={
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": HOSTILE,
                        "description": HOSTILE,
                        "parameters": {
                            "type": "object",
                            "properties": {HOSTILE: {"type": "string"}},
                            "required": [HOSTILE],
                        },
                    },
                }
            ],
            "reference": {"calls": [{"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}]},
            "context": [ContextItem(id=HOSTILE, content={HOSTILE: HOSTILE}, request=HOSTILE)],
        },
        prompts=[SentPrompt(messages=[{"role": HOSTILE, "content": HOSTILE}], problem=HOSTILE, changed=True)],
        episode=[[StepOutcome([HOSTILE], [HOSTILE], HOSTILE)]],
    )
    spoilt = [
        msgspec.structs.replace(verdict, by=HOSTILE, error_type=HOSTILE, reason=HOSTILE, raw=HOSTILE)
        for verdict in item.read(0, True).judges
    ]
    output = Output(
        case_id=HOSTILE,
        system=HOSTILE,
        text=HOSTILE,
        tool_calls=[ToolCall(name=HOSTILE, arguments={HOSTILE: HOSTILE})],
        turns=[[HOSTILE]],
        workspace=HOSTILE,
    )
    spoilt_item = msgspec.structs.replace(item.read(0, True), judges=spoilt, checker=spoilt[0], output=output)
    verdicts = ItemVerdicts(checker=spoilt[0], judges=spoilt, label=item.verdicts.label)
    return item._replace(key=output.key, verdicts=verdicts, read=always(spoilt_item))


@pytest.fixture
def hostile_report(data: ReportData, make_item: Callable[..., ListedItem], calibration: dict[str, Any]):
    return render_report(hostile_data(data, calibration), [hostile_item(make_item)])


@pytest.mark.attack("terminal and report")
@pytest.mark.parametrize("part", ["page", "item"])
def test_hostile_text_adds_no_element_and_no_attribute(hostile_report: str, part: str):
    page = Page(hostile_report if part == "page" else texts_of(hostile_report)[0])
    assert {tag for tag, _ in page.elements} <= _ELEMENTS
    names = {name for _, attributes in page.elements for name in attributes}
    assert not {
        name for name in names if name.startswith("on") or name in {"src", "style", "srcdoc", "action"}
    }
    assert all(
        (attributes.get("href") or "").startswith("#") for tag, attributes in page.elements if tag == "a"
    )


@pytest.mark.attack("terminal and report")
def test_hostile_text_is_shown_as_it_came_and_not_as_a_template(hostile_report: str):
    text = Page(hostile_report).text()
    assert "<script>alert(1)</script>" in text
    assert "{{ 7*7 }}" in text
    assert "49" not in text


@pytest.mark.attack("terminal and report")
def test_a_hostile_item_is_shown_as_it_came(hostile_report: str):
    (text,) = texts_of(hostile_report)
    assert Page(text).text().count("<script>alert(1)</script>") > 8
    assert "{{ 7*7 }}" in text


@pytest.mark.attack("terminal and report")
def test_what_is_packed_is_letters_that_end_no_element(hostile_report: str):
    scripts = Page(hostile_report).inside("script")
    assert len(scripts) > 2
    for packed in scripts[:2]:
        assert re.fullmatch(r"[!-;=-~]+", packed)


@pytest.mark.attack("terminal and report")
def test_what_cannot_be_seen_is_spelled_out_everywhere(hostile_report: str):
    assert "\u202e" not in hostile_report
    assert "\ud800" not in hostile_report
    hostile_report.encode("utf-8")
    assert "\\u202e\\ud800" in hostile_report
    for text in (*texts_of(hostile_report), *index_of(hostile_report)["cases"]):
        assert "\u202e" not in text
        assert "\ud800" not in text


@pytest.mark.attack("terminal and report")
def test_one_script_and_one_style_are_allowed_and_are_our_own(hostile_report: str):
    page = Page(hostile_report)
    policy = page.policy()
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert [attributes.get("type") for attributes in page.of("script")] == ["text/plain", "text/plain", None]
    for tag in ("script", "style"):
        sources = page.inside(tag)[-1:]
        digest = base64.b64encode(hashlib.sha256(sources[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "alert" not in sources[0]


@pytest.mark.attack("terminal and report")
def test_the_page_loads_nothing(data: ReportData, make_item: Callable[..., ListedItem]):
    page = re.sub(r"[A-Za-z0-9+/=]{80,}", "", render_report(data, [make_item()]))  # what is packed
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<iframe|<base", page)


def test_rates_stand_beside_interval_and_denominator(data: ReportData, make_item: Callable[..., ListedItem]):
    text = Page(render_report(data, [make_item()])).text()
    assert "0.71 [0.68, 0.74]" in text
    assert "n 1,974 of 2,000" in text
    assert "(18 unparsable, 8 failed)" in text
    assert "no output was judged" in text
    assert "0.00 to 1.00 if all ungraded items failed or passed" in text
    assert "3 cases without an output" in text


def test_one_is_counted_as_one(data: ReportData, make_item: Callable[..., ListedItem]):
    (first, *others), (file, *_) = data.systems, data.inputs
    alone = msgspec.structs.replace(
        data,
        systems=[msgspec.structs.replace(first, missing=1), *others],
        inputs=[msgspec.structs.replace(file, rows=1)],
    )
    text = Page(render_report(alone, [make_item()])).text()
    assert all(told in text for told in ("1 output ", "1 case without an output", "1 row "))


def test_calibration_stands_beside_the_constant_judges(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    text = Page(render_report(data, [make_item()])).text()
    assert "0.87 [0.81, 0.91]" in text
    assert "always pass" in text
    assert "every label is the same" in text
    assert "4 missing" in text
    assert "fewer than 20 independent groups" in text


def test_what_stands_beside_the_agreement_is_shown(data: ReportData, make_item: Callable[..., ListedItem]):
    text = Page(render_report(data, [make_item()])).text()
    assert "Krippendorff's alpha of 2 people" in text
    assert "nominal 0.710 [0.600, 0.800]" in text
    assert text.index("alpha 0.750 0.500") < text.index("beta 0.250 0.500")
    assert "reliability_corrected 0.004 [-0.001, 0.009]" in text
    assert "a diagnostic" in text
    assert "0.910, expected 0.840, on 240" in text


def test_what_labels_make_of_a_judges_rate_stands_right_below_it(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    rates = [
        StratumRate(name="checker decided", n=5, of=10, value=0.11),
        StratumRate(name=OPEN, by="first", n=5, of=5, value=0.22),
        StratumRate(name=OPEN, by="second", n=5, of=5, value=0.33),
        StratumRate(name=CORRECTED, by="first", n=5, of=5, value=0.44),
        StratumRate(name=CORRECTED, by="second", n=5, of=5, value=0.55),
    ]
    systems = [msgspec.structs.replace(data.systems[0], strata=rates)]
    page = render_report(msgspec.structs.replace(data, systems=systems), [make_item()])
    section = page[page.index('id="systems"') : page.index('id="trust"')]
    assert re.findall(r'align="right">(0\.\d+) <small>', section) == ["0.11", "0.22", "0.44", "0.33", "0.55"]


def test_cost_stands_beside_quality(
    data: ReportData, make_item: Callable[..., ListedItem], calibration: dict[str, Any]
):
    entry = next(iter(calibration["judges"].values()))
    entry["statistics"]["accuracy"] = {"value": 0.84, "low": 0.79, "high": 0.88, "n": 245}
    judge = msgspec.structs.replace(data.judges[0], cost=0.0421, reasked=7)
    page = render_report(
        msgspec.structs.replace(data, calibration=read_calibration(calibration), judges=[judge]),
        [make_item()],
    )
    text = Page(page).text()
    assert "0.84 [0.79, 0.88] 1,281 7 184,200 12,804 $0.0421" in text


def test_a_report_without_judges_or_calibration_leaves_their_sections_out(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    bare = msgspec.structs.replace(data, judges=[], calibration=None)
    ids = {attributes.get("id") for _, attributes in Page(render_report(bare, [make_item()])).elements}
    assert {"systems", "items", "provenance"} <= ids
    assert not {"judges", "calibration"} & ids


def test_items_whose_texts_are_not_there_are_listed_and_the_records_are_named(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    items = (make_item(f"c{n}", judge=0.0 if n == 41 else 1.0) for n in range(42))
    page = render_report(data, items, texts=5)
    index = index_of(page)
    assert [index["statuses"][number] for number in index["status"]] == ["disagreement", *["passes"] * 41]
    assert len(texts_of(page)) == 5
    text = Page(page).text()
    assert "This page has the texts of the first 5;" in text
    assert "The records of all are in out/verdicts.jsonl" in text
    assert "Disagreements come first" in text
    assert "Disagreements" not in Page(render_report(data, [make_item()])).text()


def test_a_report_without_items_says_so(data: ReportData):
    assert "There are no items." in render_report(data, [])


def test_a_long_text_is_cut_with_a_note(data: ReportData, make_item: Callable[..., ListedItem]):
    page = render_report(data, [make_item(text="x" * 10_000_000)])
    assert len(page) < 200_000
    assert "9,994,000 more characters are not shown here" in texts_of(page)[0]


def test_a_name_of_any_length_is_cut_wherever_it_stands(
    data: ReportData, make_item: Callable[..., ListedItem]
):
    endless = "n" * 10_000_000
    results = [msgspec.structs.replace(data.systems[0], system=endless, faults={endless: 1})]
    item = make_item(category=endless)
    named = msgspec.structs.replace(
        item.read(0, True), output=Output(case_id=endless, system=endless, text="x")
    )
    item = item._replace(read=always(named))
    page = render_report(msgspec.structs.replace(data, title=endless, systems=results), [item])
    assert len(page) < 600_000
    assert "(9,950,000 more characters)" in page


def test_a_report_is_written_whole_or_not_at_all(
    tmp_path: Path, data: ReportData, make_item: Callable[..., ListedItem]
):
    path = tmp_path / "report.html"
    write_report(path, data, [make_item(text="\ud800")])
    before = path.read_bytes()
    assert before.startswith(b"<!doctype html>")

    def unreadable() -> Iterator[ListedItem]:
        yield make_item()
        raise InputError("a file is gone")

    with pytest.raises(InputError):
        write_report(path, data, unreadable())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_says_where_people_contradict_the_checker(data: ReportData):
    counts = Counts(checked_labelled=12, failed_labelled_good=6, passed_labelled_bad=1)
    page = render_report(msgspec.structs.replace(data, counts=counts), [])
    assert "people contradict the checker on 7 of 12 labelled outputs, 6 that it failed and 1 that it passed" in page  # fmt: skip
    assert "people contradict" not in render_report(data, [])
