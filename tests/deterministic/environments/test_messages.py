"""The messenger: one login, one shared outbox."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.environments.messages import MessageAPI


def messenger(**config: Any) -> MessageAPI:
    world = MessageAPI()
    world.load({"user_map": {"Ann": "USR001", "Ben": "USR002"}, "user_count": 2, "inbox": [], **config})
    return world


def test_only_users_who_exist_log_in() -> None:
    world = messenger()
    assert world.message_get_login_status() == {"login_status": False}
    assert world.message_login("USR009") == {"login_status": False, "message": "User ID 'USR009' not found."}
    assert world.message_login("USR001") == {
        "login_status": True,
        "message": "User 'USR001' logged in successfully.",
    }
    assert world.message_get_login_status() == {"login_status": True}


@each_row(
    ("method", "arguments"),
    [
        ("send_message", ("USR002", "hello")),
        ("delete_message", ("USR002",)),
        ("view_messages_sent", ()),
        ("search_messages", ("hello",)),
        ("get_message_stats", ()),
    ],
)
def test_messages_need_a_login(method: str, arguments: tuple[str, ...]) -> None:
    assert getattr(messenger(), method)(*arguments) == {"error": "No user is currently logged in."}


def test_contacts_are_found_by_name() -> None:
    world = messenger()
    assert world.list_users() == {"user_list": ["Ann", "Ben"]}
    assert world.get_user_id("Ben") == {"user_id": "USR002"}
    assert world.get_user_id("Cleo") == {"error": "User 'Cleo' not found in the workspace."}


def test_a_sent_message_is_counted_and_kept_under_its_receiver() -> None:
    world = messenger(current_user="USR001", message_count=0)
    answer = world.send_message("USR002", "hello")
    message_id = answer["message_id"]["new_id"]
    assert 10_000 <= message_id <= 99_999
    assert answer["message"] == "Message sent to 'USR002' successfully."
    assert world.view_messages_sent() == {"messages": {"USR002": ["hello"]}}
    state = world.state()
    assert (state["inbox"], state["message_count"], state["generated_ids"]) == (
        [{"USR002": "hello"}],
        1,
        {message_id},
    )


def test_message_identifiers_follow_from_the_seed() -> None:
    def first_id(**config: Any) -> int:
        return messenger(current_user="USR001", **config).send_message("USR002", "x")["message_id"]["new_id"]

    assert first_id() == first_id()
    assert first_id(random_seed=1) != first_id(random_seed=2)


def test_an_identifier_is_not_given_twice() -> None:
    def next_id(given: set[int]) -> int:
        world = messenger(current_user="USR001", generated_ids=given)
        return world.send_message("USR002", "x")["message_id"]["new_id"]

    first = next_id(set())
    given = {first}
    assert next_id(given) != first
    assert given == {first}


def test_identifiers_given_as_a_list_make_sending_fail_as_in_the_original() -> None:
    with pytest.raises(AttributeError):
        messenger(current_user="USR001", generated_ids=[]).send_message("USR002", "x")


def test_an_unknown_receiver_gets_nothing() -> None:
    world = messenger(current_user="USR001")
    assert world.send_message("USR009", "x") == {"error": "Receiver ID 'USR009' not found."}


def test_of_identical_messages_the_earliest_is_deleted_and_the_count_stays() -> None:
    inbox = [{"USR002": "same"}, {"USR001": "other"}, {"USR002": "same"}]
    world = messenger(current_user="USR001", inbox=inbox, message_count=3)
    assert world.delete_message("USR002") == {
        "deleted_status": True,
        "receiver_id": "USR002",
        "message": "Receiver USR002's latest message deleted successfully.",
    }
    assert world.state()["inbox"] == [{"USR001": "other"}, {"USR002": "same"}]
    assert world.state()["message_count"] == 3
    assert world.delete_message("USR009") == {"error": "Receiver ID USR009 not found."}


def test_a_new_contacts_identifier_is_their_number() -> None:
    world = messenger()
    assert world.add_contact("Cleo") == {
        "added_status": True,
        "user_id": "USR003",
        "message": "Contact 'Cleo' added successfully.",
    }
    assert world.add_contact("Cleo") == {"error": "User name 'Cleo' already exists."}


def test_a_taken_identifier_is_refused_and_the_number_stays_raised() -> None:
    world = messenger(user_count=1)
    assert world.add_contact("Cleo") == {"error": "User ID 'USR002' already exists."}
    assert world.add_contact("Cleo")["user_id"] == "USR003"


def test_searching_ignores_case_and_counting_counts_receivers_once() -> None:
    inbox = [{"USR002": "Hello"}, {"USR002": "bye"}, {"USR001": "hello again"}]
    world = messenger(current_user="USR001", inbox=inbox)
    assert world.search_messages("HELLO") == {
        "results": [
            {"receiver_id": "USR002", "message": "Hello"},
            {"receiver_id": "USR001", "message": "hello again"},
        ]
    }
    assert world.get_message_stats() == {"stats": {"received_count": 3, "total_contacts": 2}}
