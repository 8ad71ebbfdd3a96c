"""Where capitals do not matter."""

from __future__ import annotations

import random

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.letter_case import is_caseless, is_code
from fiducial.deterministic.mutation import OPERATORS, Subject
from fiducial.records import Case, Output, ToolCall

QUOTATIONS = ["'{}'", '"{}"', "“{}”", "„{}“", "«{}»", "「{}」", "`{}`", "‘{}’"]  # noqa: RUF001 - meant
TOOL = {
    "type": "function",
    "function": {
        "name": "save",
        "parameters": {"type": "dict", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}


def asked(request: str) -> Case:
    return Case(id="c", kind="tool_call", messages=[{"role": "user", "content": request}], tools=[TOOL])


@each_row("quotation", QUOTATIONS)
def test_what_the_user_quotes_keeps_its_capitals(quotation: str):
    case = asked(f"Make a playlist {quotation.format('Rainy Sunday')} for Ida.")
    assert not is_caseless("Rainy Sunday", case)
    assert not is_caseless("The playlist Rainy Sunday", case)
    assert not is_caseless("Sunday", case)
    assert is_caseless("Ida", case)


@each_row(
    ("request_", "text", "caseless"),
    [
        ("Post this: The harbour is frozen over. Tag it.", "The harbour is frozen over.", False),
        ("Get me to Trieste: a hotel there, and a flight from Brussels.", "Brussels", True),
        ("Meet Ana at 14:30 in Lisbon.", "Lisbon", True),
        ("Don't tell Ana, it's Ben's birthday.", "Ana", True),
        ("It is the dogs' walk to O'Neill's.", "O'Neill's", True),
        ("", "Lisbon", True),
    ],
)
def test_names_are_found_however_they_are_written_and_dictation_is_taken_down(
    request_: str, text: str, caseless: bool
):
    assert is_caseless(text, asked(request_)) == caseless


@each_row(
    "text",
    [
        "LIS",
        "MUG-440",
        "evt_8",
        "ana@b.example",
        "iPhone",
        "5 mW",
        "Banner.png",
        "Orbit/api",
        "@Otto",
        "v1.2B",
        "EE",
    ],
)
def test_a_code_keeps_its_capitals(text: str):
    assert is_code(text)
    assert not is_caseless(text, asked("Nothing is quoted."))


@each_row("text", ["Kraków", "12 Quay Street", "Lyon Part-Dieu", "Dr. Adeyemi.", "35 EUR", "北京", ""])
def test_names_and_sentences_are_no_codes(text: str):
    assert not is_code(text)


@given(st.text(st.characters(categories=["L", "Nd", "Zs"]), min_size=1), st.sampled_from(QUOTATIONS))
def test_no_twin_is_made_by_lowering_a_quoted_text(text: str, quotation: str):
    case = asked(f"Save it as {quotation.format(text)}, please.")
    output = Output(case_id="c", system="s", tool_calls=[ToolCall(name="save", arguments={"name": text})])
    assert list(OPERATORS["letter_case"].mutate(Subject(case, output), random.Random(0))) == []
