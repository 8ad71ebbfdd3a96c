"""Layout of an item: blocks, titles, and nothing dropped in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import pytest
from each_row import each_row

from fiducial.records import ContextItem, Output, StepOutcome, ToolCall, ToolResults, Verdict
from fiducial.report.document import Columns, Details, Picture, Piece, Verbatim, as_html
from fiducial.report.document_parts import DocumentTable
from fiducial.report.items.pictures import with_pictures
from fiducial.report.items.sent_prompts import SentPrompt
from fiducial.report.items.view import item_document
from fiducial.report.model import ListedItem, ReportItem

CALL = ToolCall(name="book", arguments={"city": "Oslo"})
TOOL = {
    "type": "function",
    "function": {"name": "book", "description": "", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
}  # fmt: skip


def shown(item: ReportItem) -> list[Piece]:
    return list(item_document(item, {}))


def spread(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces, those in columns one by one."""
    for piece in pieces:
        yield from spread(piece.pieces) if isinstance(piece, Columns) else [piece]


def titles(pieces: Iterable[Piece]) -> list[str]:
    return [piece.title for piece in spread(pieces) if isinstance(piece, Verbatim)]


def test_an_error_type_is_told_in_words_with_the_code_beside_it(make_item: Callable[..., ListedItem]):
    wrong = Verdict(case_id="case-1", system="alpha", by="ast/strict", source="checker", outcome="graded", score=0.0, error_type="value_error:string", reason="argument city")  # fmt: skip
    item = msgspec.structs.replace(make_item().read(0, False), checker=wrong)
    assert "wrong text value <small>value_error:string: argument city" in as_html(shown(item))


def test_calls_stand_beside_the_nearest_accepted_call(make_item: Callable[..., ListedItem]):
    asks = {"tools": [TOOL], "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]}}
    item = make_item(kind="tool_call", asks=asks).read(0, False)
    item = msgspec.structs.replace(item, output=Output(case_id="case-1", system="alpha", tool_calls=[CALL]))
    pieces = shown(item)
    (_, diff) = [piece for piece in pieces if isinstance(piece, DocumentTable)]
    assert diff.caption == "Differs from the nearest accepted call"
    assert '<span class="wrong">&#34;Oslo&#34;</span>' in as_html([diff])
    folded = [piece.title for piece in pieces if isinstance(piece, Details)]
    assert folded[:2] == ["The calls as they were written, and what is expected", "Functions (1)"]


def test_a_reply_that_is_no_call_is_shown_as_it_is(make_item: Callable[..., ListedItem]):
    asks = {"tools": [TOOL], "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]}}
    pieces = shown(make_item(kind="tool_call", asks=asks, text="No.").read(0, False))
    assert titles(pieces) == ["Output", "Expected", "user"]


def _conversation(make_item: Callable[..., ListedItem], turns: list[list[Any]], **more: Any) -> ReportItem:
    item = make_item().read(0, False)
    case = msgspec.structs.replace(
        item.case, messages=[[{"role": "user", "content": "first"}], [{"role": "user", "content": "second"}]]
    )
    output = Output(case_id="case-1", system="alpha", turns=turns)
    return msgspec.structs.replace(item, case=case, output=output, **more)


def test_turns_are_a_conversation_with_what_the_agent_was_told(make_item: Callable[..., ListedItem]):
    pieces = shown(_conversation(make_item, [[[CALL], ToolResults(results=["done"]), "It is booked."], []]))
    assert titles(pieces) == [
        "Turn 1: user",
        "Turn 1: agent calls",
        "Turn 1: results",
        "Turn 1: agent",
        "Turn 2: user",
        "Turn 2: agent",
    ]


def test_what_calls_returned_when_they_were_executed_is_shown_where_nothing_was_recorded(
    make_item: Callable[..., ListedItem],
):
    episode = [[StepOutcome(["book(city='Oslo')"], ["booked"]), StepOutcome(problem="cannot be read")]]
    pieces = shown(_conversation(make_item, [[[CALL], "??"]], episode=episode))
    assert titles(pieces)[1:5] == [
        "Turn 1: agent calls",
        "Turn 1: executed again",
        "Turn 1: agent",
        "Turn 1: not executed",
    ]
    assert "book(city=&#39;Oslo&#39;) -&gt; booked" in as_html(pieces)


def test_turns_that_the_case_does_not_have_are_shown_too(make_item: Callable[..., ListedItem]):
    assert "Turn 3: agent" in titles(shown(_conversation(make_item, [[], [], ["more"]])))


def test_what_is_too_much_is_counted(make_item: Callable[..., ListedItem]):
    text = as_html(shown(_conversation(make_item, [["step"] * 500])))
    assert "302 more messages not shown here; the records hold them." in text


def test_passages_are_shown_one_by_one_and_those_referred_to_are_marked(make_item: Callable[..., ListedItem]):
    context = [ContextItem(id="a", content="first", request="asked"), ContextItem(id="b", content="second")]
    pieces = shown(make_item(text="As [b] says.", asks={"context": context}).read(0, False))
    passages = [
        piece for piece in pieces if isinstance(piece, Verbatim) and piece.title.startswith("Passage")
    ]
    assert [(passage.title, passage.role) for passage in passages] == [
        ("Passage a, asked for by asked", "text"),
        ("Passage b; referred to by the answer", "cited"),
    ]


def _exchange(item: ReportItem) -> str:
    (details,) = [
        piece for piece in shown(item) if isinstance(piece, Details) and piece.title.endswith("replied")
    ]
    return as_html(details.pieces)


def test_what_a_judge_was_sent_and_replied_is_folded_away(make_item: Callable[..., ListedItem]):
    sent = SentPrompt(
        messages=[{"role": "system", "content": "Be strict."}, {"role": "user", "content": "Is it?"}]
    )
    item = msgspec.structs.replace(make_item().read(0, False), prompts=[sent])
    text = _exchange(item)
    assert text.index("Be strict.") < text.index("Is it?") < text.index("replied")
    assert "changed since" not in text
    assert "this is what it would be sent now" in _exchange(msgspec.structs.replace(item, prompts=[msgspec.structs.replace(sent, changed=True)]))  # fmt: skip


def test_where_it_is_not_shown_what_a_judge_was_sent_the_reason_is(make_item: Callable[..., ListedItem]):
    item = make_item().read(0, False)
    assert "--all-texts` shows it" in _exchange(item)
    gone = msgspec.structs.replace(item, prompts=[SentPrompt(problem="the prompt is gone")])
    assert "not shown here: the prompt is gone" in _exchange(gone)


def test_a_system_that_crashed_is_shown_with_its_words(make_item: Callable[..., ListedItem]):
    crashed = Output(case_id="case-1", system="alpha", error="Traceback")
    assert "The system ended with" in titles(
        shown(msgspec.structs.replace(make_item().read(0, False), output=crashed))
    )


def test_verdicts_come_first_then_answer_beside_reference_then_the_request_with_its_system_prompt_folded(
    make_item: Callable[..., ListedItem],
):
    item = make_item().read(0, False)
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "When?"}]
    case = msgspec.structs.replace(item.case, kind="memory_answer", messages=messages, reference={"answers": ["now"]})  # fmt: skip
    verdicts, sides, prompt, user, *_ = shown(msgspec.structs.replace(item, case=case))
    assert isinstance(verdicts, DocumentTable)
    assert isinstance(sides, Columns)
    assert titles([sides]) == ["Output", "Expected"]
    assert isinstance(prompt, Details)
    assert (prompt.title, titles(prompt.pieces)) == ("system prompt (8 characters)", ["system"])
    assert titles([user]) == ["user"]


PIXEL = "data:image/png;base64,iVBORw0KGgo="


def _asked(make_item: Callable[..., ListedItem], *urls: str) -> list[Piece]:
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    item = make_item().read(0, False)
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, *parts]}
    return shown(msgspec.structs.replace(item, case=msgspec.structs.replace(item.case, messages=[message])))


def test_an_image_in_the_record_is_shown_below_its_message(make_item: Callable[..., ListedItem]):
    pieces = _asked(make_item, PIXEL)
    assert [(piece.title, piece.address) for piece in pieces if isinstance(piece, Picture)] == [
        ("image 1", PIXEL)
    ]
    assert "What is it?\n[image 1]" in [piece.text for piece in spread(pieces) if isinstance(piece, Verbatim)]


@pytest.mark.attack("terminal and report")
@each_row(
    "url",
    [
        "https://tracker.example/pixel.png",
        "http://tracker.example/pixel.png",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=",
        "data:image/SVG+XML;base64,PHN2Zz4=",
        "data:image/bmp;base64,Qk0=",
        "data:text/html;base64,PHN2Zz4=",
        "data:image/png;base64,x' onerror='window.broken=1",
        'data:image/png;base64,x" onerror="window.broken=1',
        "data:image/png;base64,x#<script>window.broken=1</script>",
        "data:image/png;base64," + "A" * 400_001,
        "javascript:window.broken=1",
        "DATA:image/png,<svg onload=window.broken=1>",
    ],
)
def test_no_other_address_becomes_an_image(make_item: Callable[..., ListedItem], url: str):
    text = as_html(_asked(make_item, url))
    assert "<img" not in text
    assert "[image" in text


@pytest.mark.attack("terminal and report")
@each_row(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:KIND;base64,PHN2Zz4="}},
        {"type": "input_image", "image_url": "data:KIND;base64,PHN2Zz4="},
        {"type": "image", "source": {"type": "base64", "media_type": "KIND", "data": "PHN2Zz4="}},
        {"type": "image", "mimeType": "KIND", "data": "PHN2Zz4="},
    ],
)
def test_formats_that_can_hold_a_script_are_not_shown_in_any_form_of_a_part(part: dict[str, Any]):
    shown_of = {
        kind: [
            picture.address
            for picture in with_pictures([json.loads(json.dumps(part).replace("KIND", kind))])[1]
        ]
        for kind in ("image/png", "image/svg+xml")
    }
    assert shown_of == {"image/png": ["data:image/png;base64,PHN2Zz4="], "image/svg+xml": []}


def test_a_message_shows_at_most_twelve_images(make_item: Callable[..., ListedItem]):
    pixels = [PIXEL.replace("=", "A" * number + "=") for number in range(20)]
    assert as_html(_asked(make_item, *pixels)).count("<img") == 12
