"""Columns of ids are recognised by name and values."""

from __future__ import annotations

from each_row import each_row

from fiducial.tables.id_columns import is_id_like, likely_id


@each_row(
    "name",
    ["Ticket No", "No.", "Nr", "ticket_id", "ticketID", "Case #", "№", "Row Number", "rowKey", "Ticket"],
)
def test_these_names_mean_an_id(name: str):
    assert is_id_like(name)


@each_row("name", ["Customer Asks", "number of turns", "Ticket Text", "Paid", "Piano", "", "7"])
def test_these_names_mean_no_id(name: str):
    assert not is_id_like(name)


def test_the_column_that_tells_most_rows_apart_is_the_id():
    rows = [{"Customer No": f"k{number // 2}", "Ticket No": number} for number in range(6)]
    assert likely_id(rows, ["Customer No", "Ticket No"]) == "Ticket No"


def test_two_systems_may_share_an_id():
    assert likely_id([{"No": number // 2} for number in range(6)], ["No"]) == "No"
    assert likely_id([{"No": number // 3} for number in range(9)], ["No"]) is None


def test_texts_and_empty_columns_are_no_ids():
    assert likely_id([{"Key": "one word more", "No": ""}], ["Key", "No"]) is None
