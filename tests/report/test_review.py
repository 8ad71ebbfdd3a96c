from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
from review_page import ReviewPage

from fiducial.evaluation.labelling.review_sample import ReviewSample, SampleKind
from fiducial.records import Case, ContextItem, ItemKey, Output, Step, ToolCall, ToolResults, Verdict
from fiducial.report.review import render_review
from fiducial.report.review_view import MAX_BLOCKS, MAX_OF_PART, MAX_TEXT, ReviewItem, review_item

HOSTILE = "</script></pre><!--<script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u2028\u202e\ud800{{ 7*7 }}"


def sample_of(kind: SampleKind = "open") -> ReviewSample:
    return ReviewSample(kind=kind, seed=3, of=40, keys=[ItemKey("c", "s", 0)])


def item_of(case: Case | None = None, output: Output | None = None) -> ReviewItem:
    case = case or Case(id="c", kind="open_answer", reference={"criterion": "It is short."})
    output = output or Output(case_id="c", system="s", text="Yes.")
    judged = Verdict(
        case_id="c", system="s", by="j", source="judge", outcome="graded", score=0.0, reason="no"
    )
    return review_item(case, output, [judged], {"review": {"sample": "open"}})


def titled(item: ReviewItem, section: str) -> dict[str, str]:
    return {block.title: block.text for block in dict(item.sections).get(section, [])}


@pytest.fixture
def hostile_page() -> str:
    case = Case(
        id=HOSTILE,
        kind="open_answer",
        messages=[{"role": HOSTILE, "content": HOSTILE, HOSTILE: [HOSTILE]}],
        tools=[{"type": "function", "function": {"name": HOSTILE}}],
        context=[ContextItem(id=HOSTILE, content={HOSTILE: HOSTILE}, request=HOSTILE)],
        reference={"criterion": HOSTILE},
    )
    output = Output(
        case_id=HOSTILE,
        system=HOSTILE,
        text=HOSTILE,
        tool_calls=[ToolCall(name=HOSTILE, arguments={HOSTILE: HOSTILE})],
        turns=[[HOSTILE, [ToolCall(name=HOSTILE, arguments=HOSTILE)]]],
        workspace=HOSTILE,
    )
    said = Verdict(
        case_id=HOSTILE, system=HOSTILE, by=HOSTILE, source="judge", outcome="failed", reason=HOSTILE
    )
    return render_review(sample_of(), [review_item(case, output, [said], {})], HOSTILE)


@pytest.mark.attack("terminal and report")
def test_hostile_text_adds_no_element_and_no_attribute(hostile_page: str):
    page = ReviewPage(hostile_page)
    benign = ReviewPage(render_review(sample_of(), [item_of()], "ann"))
    assert page.elements[6:] == benign.elements[6:]
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in benign.elements]


@pytest.mark.attack("terminal and report")
def test_hostile_text_is_data_that_comes_back_as_it_was(hostile_page: str):
    data = ReviewPage(hostile_page).data
    assert (data["items"][0]["case_id"], data["items"][0]["system"], data["name"]) == (HOSTILE,) * 3
    (source,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', hostile_page)
    assert source.isascii()
    assert not set("<>&") & set(source)
    hostile_page.encode("utf-8")


@pytest.mark.attack("terminal and report")
def test_what_cannot_be_seen_is_spelled_out_where_it_is_shown(hostile_page: str):
    (item,) = ReviewPage(hostile_page).data["items"]
    shown = [
        text
        for section in item["sections"]
        for block in section[1]
        for text in (block["title"], block["text"])
    ]
    shown += [item["name"], item["producer"], *(block["text"] for block in item["said"])]
    assert "\\u202e" in "".join(shown)
    assert not re.search("[\u202e\ud800]", "".join(shown))


@pytest.mark.attack("terminal and report")
def test_one_script_and_one_style_are_allowed_and_are_our_own(hostile_page: str):
    page = ReviewPage(hostile_page)
    (policy,) = [
        attributes["content"] or "" for attributes in page.of("meta") if attributes.get("http-equiv")
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag, source in (("script", page.script), ("style", "".join(page.inside("style")))):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "alert" not in source
    assert page.of("script") == [{"type": "application/json", "id": "data"}, {}]


@pytest.mark.attack("terminal and report")
def test_the_script_never_makes_elements_of_text_and_the_page_loads_nothing():
    page = render_review(sample_of(), [item_of()], "ann")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", ReviewPage(page).script
    )
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<iframe|<base|fetch\(|XMLHttp", page)
    assert not [
        name for _, attributes in ReviewPage(page).elements for name in attributes if name.startswith("on")
    ]


def test_verdicts_and_system_stand_only_in_the_data_until_there_is_an_answer():
    page = ReviewPage(render_review(sample_of(), [item_of()], "ann"))
    (verdicts,) = [attributes for attributes in page.of("details") if attributes.get("id") == "verdicts"]
    assert "hidden" in verdicts
    assert page.data["items"][0]["said"] == [{"title": "judge j", "text": "0.00  no", "hidden": 0}]
    assert all("judge j" not in str(section) for section in page.data["items"][0]["sections"])


def test_every_control_has_a_label_and_a_key():
    page = ReviewPage(render_review(sample_of(), [item_of()], "ann"))
    labelled = {attributes.get("for") for attributes in page.of("label")}
    for tag in ("input", "textarea"):
        for attributes in page.of(tag):
            wrapped = attributes["id"] in {"name", "keys", "onward"}
            assert wrapped or attributes["id"] in labelled or attributes.get("aria-label")
    keys = {text.lower() for text in page.inside("kbd")}
    assert keys == {*"10?/nuvdz", "←", "→"}
    names = {"←": "arrowleft", "→": "arrowright"}
    assert all(re.search(rf"[\s\"]{re.escape(names.get(key, key))}\"?:", page.script) for key in keys)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("open", "The labels correct the run's rates"),
        ("decided", "It corrects no rate."),
        ("doubt", "only with these chances may they correct a rate"),
        ("suspected", "They are not a random sample"),
    ],
)
def test_the_page_says_what_its_labels_are_good_for(kind: SampleKind, words: str):
    page = ReviewPage(render_review(sample_of(kind), [item_of()], "ann"))
    assert words in page.text()
    assert page.data["sample"] == kind


def test_a_page_made_anew_with_other_items_finds_the_answers_that_were_kept():
    more = [item_of(), item_of(output=Output(case_id="c", system="s", trial=1, text="No."))]
    pages = [render_review(sample_of(), items, "ann", subject=["hash"]) for items in (more[:1], more)]
    assert len({ReviewPage(page).data["id"] for page in pages}) == 1
    assert (
        ReviewPage(render_review(sample_of(), more, "ann", subject=["other"])).data["id"]
        != ReviewPage(pages[0]).data["id"]
    )


def test_pages_of_different_people_and_samples_keep_their_answers_apart():
    asked: list[tuple[SampleKind, str]] = [("open", "ann"), ("open", "bob"), ("decided", "ann")]
    pages = [render_review(sample_of(kind), [item_of()], name) for kind, name in asked]
    assert len({ReviewPage(page).data["id"] for page in pages}) == 3
    assert render_review(sample_of(), [item_of()], "ann") == pages[0]


def test_calls_are_laid_out_and_text_that_only_looks_like_json_stays_as_it_is():
    calls = [
        ToolCall(name="book", arguments={"city": "Rom", "nights": 2}),
        ToolCall(name="book", arguments='{"city": "Rom"}'),
        ToolCall(name="book", arguments='{"n": 1.0e3, "n": 2}'),
        ToolCall(name="book", arguments="nonsense"),
    ]
    item = item_of(output=Output(case_id="c", system="s", text="", tool_calls=calls))
    assert titled(item, "Output") == {
        "Text": "(empty)",
        "Call 1": 'book\n{"city": "Rom", "nights": 2}',
        "Call 2": 'book\n{"city": "Rom"}',
        "Call 3": 'book\n{"n": 1.0e3, "n": 2}',
        "Call 4": "book\nnonsense",
    }


def test_turns_are_shown_with_what_was_asked_and_what_was_done():
    case = Case(
        id="c",
        kind="multi_turn",
        messages=[[{"role": "user", "content": "One."}], [{"role": "user", "content": "Two."}]],
        reference={"classes": [], "calls": []},
    )
    item = item_of(case, Output(case_id="c", system="s", turns=[["ls()", [ToolCall(name="cd")]], []]))
    assert titled(item, "Request") == {"Turn 1: user": "One.", "Turn 2: user": "Two."}
    assert titled(item, "Output") == {
        "Turn 1, step 1": "ls()",
        "Turn 1, step 2, call 1": "cd\n{}",
        "Turn 2": "(nothing)",
    }


def test_results_that_an_output_records_are_shown_to_the_person():
    turns: list[list[Step]] = [["[ls()]", ToolResults(results=["a.txt"])]]
    blocks = dict(item_of(output=Output(case_id="c", system="s", turns=turns)).sections)["Output"]
    assert blocks[1].title == "Turn 1, step 2, results"
    assert "a.txt" in blocks[1].text


def test_the_support_of_claims_is_not_given_away():
    reference: dict[str, Any] = {"claims": [{"text": "It rains.", "supported": True}]}
    item = item_of(Case(id="c", kind="grounded_answer", reference=reference))
    assert "supported" not in str(item.sections)


def test_what_is_huge_is_cut_for_display_and_the_cut_is_counted():
    turns: list[list[Step]] = [["y" * 50_000]] * 300
    output = Output(case_id="c", system="s", text="x" * 10_000_000, turns=turns)
    page = render_review(sample_of(), [item_of(output=output)], "ann")
    (item,) = ReviewPage(page).data["items"]
    blocks = dict(item["sections"])["Output"]
    assert blocks[0] == {"title": "Text", "text": "x" * MAX_TEXT, "hidden": 10_000_000 - MAX_TEXT}
    assert sum(len(block["text"]) for block in blocks[:-1]) == MAX_OF_PART
    assert blocks[-1]["text"] == "296 more parts; the records hold them"
    assert len(page) < 200_000


def test_very_many_small_parts_are_counted_rather_than_shown():
    turns: list[list[Step]] = [["y"]] * (MAX_BLOCKS + 7)
    item = item_of(output=Output(case_id="c", system="s", turns=turns))
    blocks = dict(item.sections)["Output"]
    assert (len(blocks), blocks[-1].text) == (MAX_BLOCKS + 1, "7 more parts; the records hold them")
