"""The support desk."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.environments.tickets import TicketAPI

TICKET = {"id": 3, "title": "broken", "description": "", "status": "Open", "priority": 2, "created_by": "ann"}


def desk(**config: Any) -> TicketAPI:
    world = TicketAPI()
    world.load({"ticket_queue": [TICKET], "ticket_counter": 4, **config})
    return world


def test_any_name_and_password_but_empty_ones_log_in() -> None:
    world = desk()
    assert world.ticket_login("ann", "") == {"success": False}
    assert world.ticket_get_login_status() == {"login_status": False}
    assert world.ticket_login("ann", "x") == {"success": True}
    assert world.ticket_get_login_status() == {"login_status": True}
    assert world.logout() == {"success": True}
    assert world.logout() == {"success": False}


def test_a_ticket_gets_the_next_number_and_its_author() -> None:
    world = desk(current_user="ben")
    ticket = {
        "id": 4,
        "title": "help",
        "description": "",
        "status": "Open",
        "priority": 1,
        "created_by": "ben",
    }
    assert world.create_ticket("help") == ticket
    assert world.state() == {"ticket_queue": [TICKET, ticket], "ticket_counter": 5, "current_user": "ben"}


def test_opening_and_listing_tickets_need_a_login() -> None:
    world = desk()
    assert world.create_ticket("help") == {
        "error": "User not authenticated. Please log in to create a ticket."
    }
    assert world.get_user_tickets() == [{"error": "User not authenticated. Please log in to view tickets."}]


@pytest.mark.parametrize("priority", [0, 6, -1])
def test_a_priority_is_between_one_and_five(priority: int) -> None:
    answer = desk(current_user="ben").create_ticket("help", priority=priority)
    assert answer == {"error": "Invalid priority. Priority must be between 1 and 5."}


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("get_ticket", ()),
        ("close_ticket", ()),
        ("resolve_ticket", ("done",)),
        ("edit_ticket", ({"title": "x"},)),
    ],
)
def test_an_unknown_ticket_is_an_error(method: str, arguments: tuple[Any, ...]) -> None:
    assert getattr(desk(), method)(9, *arguments) == {"error": "Ticket with ID 9 not found."}


def test_a_ticket_is_closed_once() -> None:
    world = desk()
    assert world.close_ticket(3) == {"status": "Ticket 3 has been closed successfully."}
    assert world.close_ticket(3) == {"error": "Ticket with ID 3 is already closed."}


def test_a_ticket_is_resolved_once_and_keeps_the_resolution() -> None:
    world = desk()
    assert world.resolve_ticket(3, "restart") == {"status": "Ticket 3 has been resolved successfully."}
    assert world.get_ticket(3) == {**TICKET, "status": "Resolved", "resolution": "restart"}
    assert world.resolve_ticket(3, "again") == {"error": "Ticket with ID 3 is already resolved."}


def test_editing_skips_nulls() -> None:
    world = desk()
    answer = world.edit_ticket(3, {"title": "fixed", "priority": None})
    assert answer == {"status": "Ticket 3 has been updated successfully."}
    assert world.get_ticket(3) == {**TICKET, "title": "fixed"}


def test_fields_that_cannot_be_edited_are_named_and_nothing_changes() -> None:
    world = desk()
    answer = world.edit_ticket(3, {"owner": "x", "title": "fixed", "id": 1})
    assert answer == {"error": "Invalid fields for update: owner, id"}
    assert world.get_ticket(3) == TICKET


def test_ones_own_tickets_are_filtered_by_status_in_whatever_case() -> None:
    world = desk(current_user="ann")
    assert world.get_user_tickets() == [TICKET]
    assert world.get_user_tickets("open") == [TICKET]
    assert world.get_user_tickets("closed") == []


def test_a_scenarios_ticket_without_an_author_raises_as_in_the_original() -> None:
    with pytest.raises(KeyError, match="created_by"):
        desk(current_user="ann", ticket_queue=[{"id": 1}]).get_user_tickets()
