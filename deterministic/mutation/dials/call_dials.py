"""Dials of tool calls: tools, their similarity, calls, arguments, nesting, size of an error."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from ....records import OF_CALLS
from .dial import Dial, Rung, steps
from .material import (
    INTEGER,
    TEXT,
    call_rung,
    dial_rng,
    random_day,
    random_index,
    random_names,
    tool,
    user,
    with_item,
)

_VERBS = ("book", "cancel", "move", "confirm", "price", "rate", "share", "renew")
_THINGS = ("room", "table", "car", "seat", "tour", "court", "lesson", "locker")
_BOOKING = {
    "guest": (TEXT, "Full name of the guest."),
    "day": (TEXT, "The day, YYYY-MM-DD."),
    "people": (INTEGER, "For how many people."),
}


def tools_offered(seed: int, level: int) -> Rung:
    """Offer ``level`` tools; another tool for the same thing is called instead of the right one."""
    rng = dial_rng("tools_offered", seed)
    # All pairs of a verb and a thing, shuffled.
    (verb, thing), *others = rng.sample(list(product(_VERBS, _THINGS)), len(_VERBS) * len(_THINGS))
    wrong_tool = next(pair for pair in others if pair[1] == thing)
    unrelated_tools = [pair for pair in others if pair != wrong_tool]
    # From level 2 on the wrong tool is offered; at level 1 it is called without being offered.
    offered = [(verb, thing), wrong_tool, *unrelated_tools][:level]
    rng.shuffle(offered)
    arguments = _booking(seed)
    request = f"Please {verb} the {thing} of {arguments['guest']} on {arguments['day']}, for {arguments['people']} people."
    right_name, wrong_name = f"{verb}_{thing}", f"{wrong_tool[0]}_{thing}"
    return call_rung(
        [user(request)],
        [
            tool(
                f"{tool_verb}_{tool_thing}", f"{tool_verb.capitalize()} a {tool_thing} for a guest.", _BOOKING
            )
            for tool_verb, tool_thing in offered
        ],
        [(right_name, arguments)],
        [(wrong_name, arguments)],
        f"{wrong_name} was called instead of {right_name}",
    )


_SIMILAR_TOOLS = (
    ("read_meter", "Read a meter of a guest's flat.", "another domain"),
    ("book_table", "Book a table in the restaurant.", "another thing"),
    ("cancel_room", "Cancel a room that is booked.", "another verb"),
    ("book_room_short_stay", "Book a room for a stay of up to six nights.", "a word in the name"),
    ("book_room_b", "Book a room that has no balcony.", "the description alone"),
    ("book_room_c", "Book a room for groups of seven people and more.", "a condition in the description"),
)
"""Name and description of the wrong tool, and how it differs from the right one, by level."""

_RIGHT_TOOL = {
    4: ("book_room_long_stay", "Book a room for a stay of seven nights and more."),
    5: ("book_room_a", "Book a room that has a balcony."),
    6: ("book_room_d", "Book a room for groups of up to six people."),
}
"""Name and description of the right tool, by level; ``book_room`` at the others."""

_CONDITION_IN_REQUEST = {4: " It is for nine nights.", 5: " It has to have a balcony."}
"""Conditions that decide between the tools, by level. At level 6 it is the number of people, which every request states."""


def tools_alike(seed: int, level: int) -> Rung:
    """Offer two similar tools and call the wrong one; the level sets the similarity."""
    wrong_name, wrong_description, _ = _SIMILAR_TOOLS[level - 1]
    right_name, right_description = _RIGHT_TOOL.get(level, ("book_room", "Book a room."))
    arguments = _booking(seed)
    request = f"Book a room for {arguments['guest']} on {arguments['day']}, for {arguments['people']} people."
    offered = [tool(right_name, right_description, _BOOKING), tool(wrong_name, wrong_description, _BOOKING)]
    dial_rng("tools_alike", seed).shuffle(offered)
    return call_rung(
        [user(request + _CONDITION_IN_REQUEST.get(level, ""))],
        offered,
        [(right_name, arguments)],
        [(wrong_name, arguments)],
        f"{wrong_name} was called instead of {right_name}",
    )


def parallel_calls(seed: int, level: int) -> Rung:
    """Make ``level`` calls; in one of them the number of people is off by one."""
    rng = dial_rng("parallel_calls", seed)
    # As many as the highest level needs, so that rungs of a seed differ only in their level.
    names = random_names(rng, 48)
    days = [random_day(rng).isoformat() for _ in names]
    sizes = [rng.randint(2, 9) for _ in names]
    index = random_index(rng, level)
    right_size = sizes[index]
    wrong_size = right_size + rng.choice((-1, 1))
    calls = [
        ("book_table", {"guest": name, "day": date, "people": size})
        for name, date, size in zip(names[:level], days, sizes, strict=False)
    ]
    lines = "\n".join("- {guest}, {day}, {people} people".format(**arguments) for _, arguments in calls)
    return call_rung(
        [user(f"Book a table for each of these:\n{lines}")],
        [tool("book_table", "Book a table.", _BOOKING)],
        calls,
        with_item(calls, index, ("book_table", calls[index][1] | {"people": wrong_size})),
        f"call {index + 1} of {level} is for {wrong_size} people, not {right_size}",
    )


_ROOMS = (
    "kitchen", "hall", "attic", "cellar", "study", "nursery", "porch", "pantry",
    "garage", "lounge", "office", "bathroom", "bedroom", "laundry", "library", "workshop",
)  # fmt: skip
_SETTINGS = {"temperature": (14, 26), "brightness": (5, 95), "volume": (5, 60), "humidity": (30, 70)}


def right_arguments(seed: int, level: int) -> Rung:
    """Make one call with ``level`` arguments; one of them is off by one."""
    rng = dial_rng("right_arguments", seed)
    # All of them at every level, so that rungs of a seed differ only in their level.
    names = rng.sample(list(product(_ROOMS, _SETTINGS)), len(_ROOMS) * len(_SETTINGS))
    values = [rng.randint(*_SETTINGS[setting]) for _, setting in names]
    index = random_index(rng, level)
    wrong_value = values[index] + rng.choice((-1, 1))
    keys = [f"{room}_{setting}" for room, setting in names[:level]]
    settings = ", ".join(
        f"{room} {setting} {value}" for (room, setting), value in zip(names[:level], values, strict=False)
    )
    document = {key: (INTEGER, f"The {key.replace('_', ' ')}.") for key in keys}
    return call_rung(
        [user(f"Set the house up like this: {settings}.")],
        [tool("set_house", "Set values of a house.", document)],
        [("set_house", dict(zip(keys, values, strict=False)))],
        [("set_house", dict(zip(keys, with_item(values, index, wrong_value), strict=False)))],
        f"{keys[index]} is {wrong_value}, not {values[index]}",
    )


_CONTAINERS = (
    "site", "building", "wing", "floor", "room", "aisle", "rack", "shelf", "drawer", "box", "tray", "slot",
)  # fmt: skip


def nesting(seed: int, level: int) -> Rung:
    """Nest a value ``level`` levels deep, off by one."""
    rng = dial_rng("nesting", seed)
    numbers = [rng.randint(2, 40) for _ in _CONTAINERS][:level]
    amount = rng.randint(50, 990)
    wrong_amount = amount + rng.choice((-1, 1))
    containers = ", ".join(f"{name} {number}" for name, number in zip(_CONTAINERS, numbers, strict=False))
    document = _nested_document(level)
    return call_rung(
        [user(f"Put {amount} pieces into {containers}.")],
        [
            {
                "type": "function",
                "function": {"name": "store", "description": "Put pieces somewhere.", "parameters": document},
            }
        ],
        [("store", _nested_arguments(numbers, amount))],
        [("store", _nested_arguments(numbers, wrong_amount))],
        f"{level} levels deep, {wrong_amount} pieces, not {amount}",
    )


def _nested_arguments(numbers: list[int], amount: int) -> dict[str, Any]:
    arguments: dict[str, Any] = {"pieces": amount}
    for name, number in reversed(list(zip(_CONTAINERS, numbers, strict=False))):
        arguments = {name: {"number": number, **arguments}}
    return arguments


def _nested_document(level: int) -> Mapping[str, Any]:
    document: dict[str, Any] = {"pieces": {"type": INTEGER, "description": "How many."}}
    for name in reversed(_CONTAINERS[:level]):
        number = {"type": INTEGER, "description": f"Number of the {name}."}
        properties = {"number": number, **document}
        container = {
            "type": "object",
            "description": f"The {name}.",
            "properties": properties,
            "required": list(properties),
        }
        document = {name: container}
    return {"type": "object", "properties": document, "required": list(document)}


DIGITS = (
    "ten times as much", "the first digit", "the second", "the third", "the fourth", "the fifth", "the sixth",
    "the seventh", "the last of eight",
)  # fmt: skip
"""Errors in a number of eight digits, from the largest to the smallest."""


def wrong_digit(number: int, level: int) -> int:
    """Change digit ``level - 1`` of an eight-digit number by 1; at level 1, multiply it by ten."""
    if level == 1:
        return number * 10
    # One up or down, so that no other digit changes and the error depends only on the level.
    place_value = 10 ** (len(DIGITS) - level)
    return number + (-place_value if number // place_value % 10 > 4 else place_value)  # noqa: PLR2004 - stays a digit, and no other changes


def number_error(seed: int, level: int) -> Rung:
    """Give an eight-digit amount with an error that shrinks with the level."""
    rng = dial_rng("number_error", seed)
    name, amount = rng.choice(random_names(rng, 4)), rng.randint(11_111_111, 98_888_888)
    wrong_amount = wrong_digit(amount, level)
    return call_rung(
        [user(f"Pay {name} {amount} crowns.")],
        [
            tool(
                "pay",
                "Pay somebody.",
                {"payee": (TEXT, "Full name."), "crowns": (INTEGER, "The amount in crowns.")},
            )
        ],
        [("pay", {"payee": name, "crowns": amount})],
        [("pay", {"payee": name, "crowns": wrong_amount})],
        f"{wrong_amount} crowns, not {amount}: {DIGITS[level - 1]}",
    )


def _booking(seed: int) -> dict[str, Any]:
    rng = dial_rng("booking", seed)
    return {"guest": random_names(rng, 1)[0], "day": random_day(rng).isoformat(), "people": rng.randint(2, 6)}


CALL_DIALS = (
    Dial("tools_offered", OF_CALLS, tools_offered, (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64), "tools offered",
         "another tool for the same thing is called"),
    steps("tools_alike", OF_CALLS, tools_alike, tuple(differs for *_, differs in _SIMILAR_TOOLS),
          "the wrong one of two similar tools is called"),
    Dial("parallel_calls", OF_CALLS, parallel_calls, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48), "parallel calls",
         "one of the calls is for one person too many or too few"),
    Dial("right_arguments", OF_CALLS, right_arguments, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), "arguments",
         "one of the arguments of a call is off by one"),
    Dial("nesting", OF_CALLS, nesting, tuple(range(1, len(_CONTAINERS) + 1)), "levels of nesting",
         "a nested number is off by one"),
    steps("number_error", OF_CALLS, number_error, DIGITS, "an amount of eight digits is wrong"),
)  # fmt: skip
"""Dials of tool calls."""
