"""Guesses which columns of a table hold what no known name says."""

from __future__ import annotations

import pytest

from fiducial.tables.column_guesses import TableColumns, guessed

SHEET = [
    {"Ticket #": "T-1", "User asks:": "How long?", "Bot says": "30 days.", "Correct one": "30 days", "Which bot": "a 1", "fine?": "yes"},
    {"Ticket #": "T-2", "User asks:": "Who ships?", "Bot says": "No idea.", "Correct one": "the post", "Which bot": "a 1", "fine?": "No"},
    {"Ticket #": "T-3", "User asks:": "Which town?", "Bot says": "Ghent, I think.", "Correct one": "Ghent", "Which bot": "b 2", "fine?": ""},
]  # fmt: skip


def test_odd_headers_are_guessed_by_their_words_and_values():
    assert guessed(SHEET, SHEET[0], ()) == {
        "accepted_answers": "Correct one",
        "response": "Bot says",
        "query": "User asks:",
        "id": "Ticket #",
        "label": "fine?",
        "system": "Which bot",
    }


def test_fields_that_have_a_column_are_not_guessed():
    assert not guessed(SHEET, SHEET[0], ("accepted_answers", "response", "query", "id", "label", "system"))
    assert "query" not in guessed(SHEET, SHEET[0], ("messages",))


def test_a_column_of_one_grade_or_of_numbers_alone_is_no_label():
    assert "label" not in guessed([{"ok": "yes"}, {"ok": "yes"}], ["ok"], ())
    assert "label" not in guessed([{"share": "0.5"}, {"share": "1"}], ["share"], ())


def test_columns_of_no_field_are_tags_once():
    found = TableColumns()
    for _ in range(2):
        found.add(SHEET, {"query": "User asks:"}, ["fine?"])
    assert found.tags == ["Ticket #", "Bot says", "Correct one", "Which bot"]
    assert "label" not in found.guesses


@pytest.mark.parametrize(
    ("asked", "pairing"),
    [
        (("How long?", "How long?"), "asked"),
        (("How long?", "Who ships?"), None),
        (("How long?", ""), None),
    ],
)
def test_rows_of_two_systems_are_paired_by_a_column_whose_values_both_have(
    asked: tuple[str, str], pairing: str | None
):
    rows = [{"asked": each, "bot": bot} for each, bot in zip(asked, "ab", strict=True)]
    found = TableColumns()
    found.add(rows, {"query": "asked", "system": "bot"}, ())
    assert found.pairing == pairing


def test_rows_of_one_system_may_be_paired_with_those_of_a_later_one():
    found = TableColumns()
    found.add([{"asked": "How long?", "bot": "a"}], {"query": "asked", "system": "bot"}, ())
    assert found.pairing == "asked"
