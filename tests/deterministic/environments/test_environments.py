"""Common behaviour of all environments."""

from __future__ import annotations

import copy
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.environments import ENVIRONMENTS, World

CHANGES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "GorillaFileSystem": [("mkdir", {"dir_name": "new"}), ("echo", {"content": "x", "file_name": "notes"})],
    "MessageAPI": [
        ("message_login", {"user_id": "USR001"}),
        ("send_message", {"receiver_id": "USR002", "message": "hello"}),
        ("add_contact", {"user_name": "Zoe"}),
    ],
    "TwitterAPI": [
        ("authenticate_twitter", {"username": "john", "password": "john123"}),
        ("post_tweet", {"content": "hello"}),
        ("mention", {"tweet_id": 0, "mentioned_usernames": ["@zoe"]}),
        ("follow_user", {"username_to_follow": "zoe"}),
    ],
    "TicketAPI": [
        ("ticket_login", {"username": "zoe", "password": "z"}),
        ("create_ticket", {"title": "broken"}),
    ],
    "TradingBot": [
        ("trading_login", {"username": "zoe", "password": "z"}),
        ("fund_account", {"amount": 10}),
        ("add_to_watchlist", {"stock": "AAPL"}),
        ("cancel_order", {"order_id": 12446}),
    ],
    "TravelAPI": [
        (
            "authenticate_travel",
            dict.fromkeys(
                [
                    "client_id",
                    "client_secret",
                    "refresh_token",
                    "grant_type",
                    "user_first_name",
                    "user_last_name",
                ],
                "x",
            ),
        ),
        (
            "purchase_insurance",
            {
                "access_token": "251675",
                "insurance_type": "all",
                "booking_id": "booking_901",
                "insurance_cost": 5,
                "card_id": "1234567812345678",
            },
        ),
    ],
    "VehicleControlAPI": [
        ("lockDoors", {"unlock": False, "door": ["driver"]}),
        ("fillFuelTank", {"fuelAmount": 5}),
    ],
}
CONFIG: dict[str, dict[str, Any]] = {
    "GorillaFileSystem": {
        "root": {"home": {"type": "directory", "contents": {"notes": {"type": "file", "content": "old"}}}}
    }
}


def loaded(name: str, *, long_context: bool = False) -> World:
    world = ENVIRONMENTS[name]()
    world.load(CONFIG.get(name, {}), long_context=long_context)
    return world


def api_methods(world: type[World]) -> set[str]:
    return {
        name
        for name, _ in inspect.getmembers(world, inspect.isfunction)
        if not name.startswith("_") and name not in {"load", "state"}
    }


def test_there_are_eight_worlds_with_128_methods_under_the_names_that_scenarios_use() -> None:
    assert sorted(ENVIRONMENTS) == [
        "GorillaFileSystem",
        "MathAPI",
        "MessageAPI",
        "TicketAPI",
        "TradingBot",
        "TravelAPI",
        "TwitterAPI",
        "VehicleControlAPI",
    ]
    assert sum(len(api_methods(world)) for world in ENVIRONMENTS.values()) == 128


@each_row("long_context", [False, True])
@each_row("name", CHANGES)
def test_a_change_in_one_of_a_hundred_worlds_shows_in_no_other(name: str, long_context: bool) -> None:
    worlds = [loaded(name, long_context=long_context) for _ in range(100)]
    untouched = copy.deepcopy(worlds[0].state())
    for method, arguments in CHANGES[name]:
        getattr(worlds[50], method)(**arguments)
    assert worlds[50].state() != untouched
    assert all(world.state() == untouched for world in worlds if world is not worlds[50])


@each_row("name", CHANGES)
def test_a_world_changes_nothing_in_the_scenario_it_was_loaded_from(name: str) -> None:
    first = ENVIRONMENTS[name]()
    first.load(CONFIG.get(name, {}))
    attributes = {key: value for key, value in first.state().items() if key not in {"root", "generated_ids"}}
    config = json.loads(json.dumps(CONFIG.get(name, attributes)))
    before = copy.deepcopy(config)
    world = ENVIRONMENTS[name]()
    world.load(config)
    for method, arguments in CHANGES[name]:
        getattr(world, method)(**arguments)
    assert config == before


@each_row("name", CHANGES)
def test_loading_again_starts_again(name: str) -> None:
    world = loaded(name)
    untouched = copy.deepcopy(world.state())
    for method, arguments in CHANGES[name]:
        getattr(world, method)(**arguments)
    world.load(CONFIG.get(name, {}))
    assert world.state() == untouched


@each_row("name", CHANGES)
def test_two_worlds_with_the_same_history_have_equal_states(name: str) -> None:
    one, other = loaded(name), loaded(name)
    for method, arguments in CHANGES[name]:
        assert getattr(one, method)(**arguments) == getattr(other, method)(**arguments)
    assert one.state() == other.state()


def test_the_calculator_has_no_state() -> None:
    world = loaded("MathAPI")
    assert world.state() == {}


@pytest.mark.reference
def test_the_methods_and_their_parameters_are_the_documented_ones(reference: Path) -> None:
    files = {
        "GorillaFileSystem": "gorilla_file_system",
        "MathAPI": "math_api",
        "MessageAPI": "message_api",
        "TwitterAPI": "posting_api",
        "TicketAPI": "ticket_api",
        "TradingBot": "trading_bot",
        "TravelAPI": "travel_booking",
        "VehicleControlAPI": "vehicle_control",
    }
    for name, file in files.items():
        path = reference / "bfcl" / "data" / "multi_turn_func_doc" / f"{file}.json"
        documented = {
            function["name"]: function["parameters"]
            for function in map(json.loads, path.read_text("utf-8").splitlines())
        }
        assert api_methods(ENVIRONMENTS[name]) == set(documented)
        for method, parameters in documented.items():
            ours = dict(inspect.signature(getattr(ENVIRONMENTS[name], method)).parameters)
            del ours["self"]
            assert set(ours) == set(parameters["properties"]), method
            required = {key for key, parameter in ours.items() if parameter.default is parameter.empty}
            assert required == set(parameters["required"]), method
