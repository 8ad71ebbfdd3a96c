"""Dials of statements: results, position of the evidence, inference, size of the fault.

Results vary in number and length.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from .call_dials import DIGITS, wrong_digit
from .dial import Dial, Rung, steps
from .material import PEOPLE, put, scene, somewhere
from .statement_material import HOUSES, about_houses, filling_sentence, results_of

_LONGEST = 256
_FIXED = 128


class _Sight(NamedTuple):
    """Sentence about a house, with the range of its number."""

    words: str
    low: int
    high: int


_SAID = (
    _Sight("The {house} has {n} rooms.", 12, 90),
    _Sight("The {house} was built in {n}.", 1702, 1998),
    _Sight("The garden of the {house} has {n} trees.", 8, 70),
    _Sight("The {house} lies {n} metres above the sea.", 105, 890),
    _Sight("Breakfast at the {house} costs {n} crowns.", 60, 240),
)


def passages(seed: int, level: int) -> Rung:
    """So many results, one a house; a number of another house, or a number near it, is taken."""
    chance = scene("passages", seed)
    sight = chance.choice(_SAID)
    houses = chance.sample(HOUSES, 64)[:level]
    numbers = [chance.randint(sight.low, sight.high) for _ in houses]
    place = somewhere(chance, level)
    others = [number for number in numbers if number != numbers[place]] or [numbers[place] + 3]
    wrong = chance.choice(others)
    facts = [_filled(sight, house, number) for house, number in zip(houses, numbers, strict=True)]
    return about_houses(
        results_of(facts),
        facts[place],
        _filled(sight, houses[place], wrong),
        f"{wrong}, not {numbers[place]}, of {level} results",
    )


def passage_length(seed: int, level: int) -> Rung:
    """Make one result of ``level`` sentences; the number in the decisive one is mistaken."""
    chance = scene("passage_length", seed)
    return _in_passage(chance, level, somewhere(chance, level))


def sentence_position(seed: int, level: int) -> Rung:
    """Make one long result whose decisive sentence is number ``level``."""
    return _in_passage(scene("sentence_position", seed), _FIXED, level - 1)


def _in_passage(chance: random.Random, length: int, place: int) -> Rung:
    sight, house = chance.choice(_SAID), chance.choice(HOUSES)
    number = chance.randint(sight.low, sight.high)
    filling = [filling_sentence(chance) for _ in range(_LONGEST)][:length]
    right = _filled(sight, house, number)
    return about_houses(
        results_of([" ".join(put(filling, place, right))]),
        right,
        _filled(sight, house, number + chance.choice((-2, -1, 1, 2))),
        f"another number than sentence {place + 1} of {length} gives",
    )


_INFERENCE = (
    "one result",
    "two results combined",
    "arithmetic over two",
    "arithmetic over three",
    "arithmetic over six",
)
_TAKEN = (1, 2, 2, 3, 6)


def inference(seed: int, level: int) -> Rung:
    """State a number, off by one, that has to be inferred.

    The level sets how many results and how much arithmetic that takes.
    """
    chance = scene("inference", seed)
    houses = chance.sample(HOUSES, 6)
    rooms = [chance.randint(12, 90) for _ in houses]
    taken = _TAKEN[level - 1]
    facts = [f"The {house} has {number} rooms." for house, number in zip(houses, rooms, strict=True)]
    off = chance.choice((-1, 1))
    if level == 1:
        words, number = f"The {houses[0]} has {{n}} rooms.", rooms[0]
    elif level == 2:  # noqa: PLR2004 - the step that combines and does not count
        owner = chance.choice(PEOPLE)
        facts[1] = f"{owner} owns one house, the {houses[0]}."
        words, number = f"The house that {owner} owns has {{n}} rooms.", rooms[0]
    else:
        listed = f"{', the '.join(houses[: taken - 1])} and the {houses[taken - 1]}"
        words, number = f"Together the {listed} have {{n}} rooms.", sum(rooms[:taken])
    chance.shuffle(facts)
    return about_houses(
        results_of(facts),
        words.format(n=number),
        words.format(n=number + off),
        f"{number + off}, not {number}",
    )


def right_claims(seed: int, level: int) -> Rung:
    """Make ``level`` claims; one of them has a wrong number."""
    chance = scene("right_claims", seed)
    houses = chance.sample(HOUSES, 32)
    sights = [chance.choice(_SAID) for _ in houses]
    numbers = [chance.randint(sight.low, sight.high) for sight in sights]
    facts = [_filled(*each) for each in zip(sights, houses, numbers, strict=True)]
    place = somewhere(chance, level)
    wrong = _filled(sights[place], houses[place], numbers[place] + chance.choice((-2, -1, 1, 2)))
    return about_houses(
        results_of(facts),
        facts[:level],
        put(facts[:level], place, wrong),
        f"claim {place + 1} of {level} is: {wrong}",
    )


def claim_error(seed: int, level: int) -> Rung:
    """Claim an eight-digit number with an error that shrinks with the level."""
    chance = scene("claim_error", seed)
    house, number = chance.choice(HOUSES), chance.randint(11_111_111, 98_888_888)
    words = f"The {house} was sold for {{n}} crowns."
    wrong = wrong_digit(number, level)
    return about_houses(
        results_of([words.format(n=number)]),
        words.format(n=number),
        words.format(n=wrong),
        f"{wrong}, not {number}: {DIGITS[level - 1]}",
    )


def _filled(sight: _Sight, house: str, number: int) -> str:
    return sight.words.format(house=house, n=number)


STATEMENT_DIALS = (
    Dial("passages", "groundedness", passages, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), "results",
         "a claim has the number of another of so many results"),
    Dial("passage_length", "groundedness", passage_length, (1, 2, 4, 8, 16, 32, 64, 128, _LONGEST), "sentences",
         "a claim has another number than a result of so many sentences"),
    Dial("sentence_position", "groundedness", sentence_position, (1, 2, 4, 8, 16, 32, 64, 96, _FIXED), "sentence that decides",
         f"a claim has another number than the so-many-th sentence of {_FIXED}"),
    steps("inference", "groundedness", inference, _INFERENCE, "a number that it takes so much to infer is off by one"),
    Dial("right_claims", "groundedness", right_claims, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32), "claims",
         "one of so many claims has a wrong number"),
    steps("claim_error", "groundedness", claim_error, DIGITS, "a number of eight digits has an error so small"),
)  # fmt: skip
"""Name, what a level is, and a line about it."""
