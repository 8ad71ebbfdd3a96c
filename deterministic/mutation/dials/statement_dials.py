"""Dials of statements: number and length of results, place of evidence, inference, error."""

from __future__ import annotations

import random
from typing import NamedTuple

from .call_dials import DIGITS, wrong_digit
from .dial import Dial, Rung, steps
from .material import (
    HOUSES,
    PEOPLE,
    as_results,
    dial_rng,
    filling_sentence,
    house_rung,
    random_index,
    with_item,
)

_MAX_SENTENCES = 256
"""Number of sentences in the longest result."""

_FIXED_SENTENCES = 128
"""Number of sentences in each result of `sentence_position`."""


class _FactTemplate(NamedTuple):
    """Sentence about a house with a number, and the range of the number."""

    words: str
    low: int
    high: int


_TEMPLATES = (
    _FactTemplate("The {house} has {n} rooms.", 12, 90),
    _FactTemplate("The {house} was built in {n}.", 1702, 1998),
    _FactTemplate("The garden of the {house} has {n} trees.", 8, 70),
    _FactTemplate("The {house} lies {n} metres above the sea.", 105, 890),
    _FactTemplate("Breakfast at the {house} costs {n} crowns.", 60, 240),
)


def passages(seed: int, level: int) -> Rung:
    """Show ``level`` results, one per house; the claim has the number of another house."""
    rng = dial_rng("passages", seed)
    template = rng.choice(_TEMPLATES)
    # As many as the highest level needs, so that rungs of a seed differ only in their level.
    houses = rng.sample(HOUSES, 64)[:level]
    numbers = [rng.randint(template.low, template.high) for _ in houses]
    index = random_index(rng, level)
    other_numbers = [number for number in numbers if number != numbers[index]] or [numbers[index] + 3]
    wrong_number = rng.choice(other_numbers)
    facts = [_fill_in(template, house, number) for house, number in zip(houses, numbers, strict=True)]
    return house_rung(
        as_results(facts),
        facts[index],
        _fill_in(template, houses[index], wrong_number),
        f"{wrong_number}, not {numbers[index]}, of {level} results",
    )


def passage_length(seed: int, level: int) -> Rung:
    """Show one result of ``level`` sentences; the claim has another number than one of them."""
    rng = dial_rng("passage_length", seed)
    return _state_in_passage(rng, level, random_index(rng, level))


def sentence_position(seed: int, level: int) -> Rung:
    """Show one long result; the claim has another number than sentence ``level``."""
    return _state_in_passage(dial_rng("sentence_position", seed), _FIXED_SENTENCES, level - 1)


def _state_in_passage(rng: random.Random, length: int, index: int) -> Rung:
    template, house = rng.choice(_TEMPLATES), rng.choice(HOUSES)
    number = rng.randint(template.low, template.high)
    filling_sentences = [filling_sentence(rng) for _ in range(_MAX_SENTENCES)][:length]
    right_claim = _fill_in(template, house, number)
    return house_rung(
        as_results([" ".join(with_item(filling_sentences, index, right_claim))]),
        right_claim,
        _fill_in(template, house, number + rng.choice((-2, -1, 1, 2))),
        f"another number than sentence {index + 1} of {length} gives",
    )


_INFERENCE_KINDS = (
    "one result",
    "two results combined",
    "arithmetic over two",
    "arithmetic over three",
    "arithmetic over six",
)
_HOUSES_NEEDED = (1, 2, 2, 3, 6)
"""Number of results that a claim needs, by level."""


def inference(seed: int, level: int) -> Rung:
    """Claim an inferred number, off by one; the level sets the results and arithmetic needed."""
    rng = dial_rng("inference", seed)
    houses = rng.sample(HOUSES, 6)
    rooms = [rng.randint(12, 90) for _ in houses]
    houses_needed = _HOUSES_NEEDED[level - 1]
    facts = [f"The {house} has {number} rooms." for house, number in zip(houses, rooms, strict=True)]
    error = rng.choice((-1, 1))
    if level == 1:
        claim_template, number = f"The {houses[0]} has {{n}} rooms.", rooms[0]
    elif level == 2:  # noqa: PLR2004 - the step that combines results without arithmetic
        owner = rng.choice(PEOPLE)
        facts[1] = f"{owner} owns one house, the {houses[0]}."
        claim_template, number = f"The house that {owner} owns has {{n}} rooms.", rooms[0]
    else:
        house_list = f"{', the '.join(houses[: houses_needed - 1])} and the {houses[houses_needed - 1]}"
        claim_template, number = f"Together the {house_list} have {{n}} rooms.", sum(rooms[:houses_needed])
    rng.shuffle(facts)
    return house_rung(
        as_results(facts),
        claim_template.format(n=number),
        claim_template.format(n=number + error),
        f"{number + error}, not {number}",
    )


def right_claims(seed: int, level: int) -> Rung:
    """Make ``level`` claims; one of them has a wrong number."""
    rng = dial_rng("right_claims", seed)
    houses = rng.sample(HOUSES, 32)
    templates = [rng.choice(_TEMPLATES) for _ in houses]
    numbers = [rng.randint(template.low, template.high) for template in templates]
    facts = [
        _fill_in(template, house, number)
        for template, house, number in zip(templates, houses, numbers, strict=True)
    ]
    index = random_index(rng, level)
    wrong_claim = _fill_in(templates[index], houses[index], numbers[index] + rng.choice((-2, -1, 1, 2)))
    return house_rung(
        as_results(facts),
        facts[:level],
        with_item(facts[:level], index, wrong_claim),
        f"claim {index + 1} of {level} is: {wrong_claim}",
    )


def claim_error(seed: int, level: int) -> Rung:
    """Claim an eight-digit number with an error that shrinks with the level."""
    rng = dial_rng("claim_error", seed)
    house, number = rng.choice(HOUSES), rng.randint(11_111_111, 98_888_888)
    claim_template = f"The {house} was sold for {{n}} crowns."
    wrong_number = wrong_digit(number, level)
    return house_rung(
        as_results([claim_template.format(n=number)]),
        claim_template.format(n=number),
        claim_template.format(n=wrong_number),
        f"{wrong_number}, not {number}: {DIGITS[level - 1]}",
    )


def _fill_in(template: _FactTemplate, house: str, number: int) -> str:
    return template.words.format(house=house, n=number)


STATEMENT_DIALS = (
    Dial("passages", "groundedness", passages, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), "results",
         "a claim has the number of another result"),
    Dial("passage_length", "groundedness", passage_length, (1, 2, 4, 8, 16, 32, 64, 128, _MAX_SENTENCES), "sentences",
         "a claim has another number than a sentence of the result"),
    Dial("sentence_position", "groundedness", sentence_position, (1, 2, 4, 8, 16, 32, 64, 96, _FIXED_SENTENCES), "sentence that decides",
         f"a claim has another number than one of {_FIXED_SENTENCES} sentences"),
    steps("inference", "groundedness", inference, _INFERENCE_KINDS, "an inferred number is off by one"),
    Dial("right_claims", "groundedness", right_claims, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32), "claims",
         "one of the claims has a wrong number"),
    steps("claim_error", "groundedness", claim_error, DIGITS, "a number of eight digits is wrong"),
)  # fmt: skip
"""Dials of statements."""
