"""Dials of paraphrased statements; the fault is a shift of meaning.

The right output retells a passage in other words; the faulty one does so with a changed detail. Neither repeats the passage, so a judge
has to understand it.
"""

from __future__ import annotations

import random
from typing import NamedTuple

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

_PASSAGE_SENTENCES = 48
"""Number of sentences in a passage."""
_MAX_CLAIMS = 24
"""Limit on the claims that are retold."""


class _Shift(NamedTuple):
    """Sentences of a passage, a paraphrase of them, and a paraphrase with another meaning.

    Placeholders: ``a`` a house, ``p`` and ``q`` people, ``y`` a year, ``n`` and ``m`` different numbers.
    """

    sentences: tuple[str, ...]
    retold: str
    shifted: str


KINDS = (
    "another number",
    "the number of a house with nearly the same name, far away in the passage",
    "another unit than the passage implies",
    "all in place of some",
    "a cause in place of a coincidence",
    "a fact in place of a guess",
    "a negation in a subordinate clause left out",
)
"""Shifts of meaning, from obvious to subtle."""

_SHIFTS: dict[str, tuple[_Shift, ...]] = {
    KINDS[0]: (
        _Shift(
            ("In {y} the {a} sold {n} jars of honey.",),
            "The {a} had customers for {n} jars of honey in {y}.",
            "The {a} had customers for {m} jars of honey in {y}.",
        ),
        _Shift(
            ("The {a} took in {n} travellers during the winter of {y}.",),
            "In the winter of {y}, {n} travellers found shelter at the {a}.",
            "In the winter of {y}, {m} travellers found shelter at the {a}.",
        ),
    ),
    KINDS[1]: (
        _Shift(
            ("The Upper {a} has {n} rooms.", "The Lower {a} has {m} rooms."),
            "There are {n} rooms in the Upper {a}.",
            "There are {m} rooms in the Upper {a}.",
        ),
        _Shift(
            ("{p} paid {n} crowns for the Old {a}.", "{q} paid {m} crowns for the New {a}."),
            "The Old {a} changed hands for {n} crowns.",
            "The Old {a} changed hands for {m} crowns.",
        ),
    ),
    KINDS[2]: (
        _Shift(
            ("The surveyors gave every height in feet, and wrote {n} for the tower of the {a}.",),
            "The tower of the {a} was measured at {n} feet.",
            "The tower of the {a} was measured at {n} metres.",
        ),
        _Shift(
            ("All rents of the county were due each quarter; that of the {a} was {n} crowns.",),
            "Every three months the {a} owed a rent of {n} crowns.",
            "Every month the {a} owed a rent of {n} crowns.",
        ),
    ),
    KINDS[3]: (
        _Shift(
            ("Three of the {n} rooms of the {a} have a stove.",),
            "Some rooms of the {a} can be heated with a stove.",
            "Every room of the {a} can be heated with a stove.",
        ),
        _Shift(
            ("On market days the {a} serves soup until midnight.",),
            "When there is a market, soup is to be had at the {a} until midnight.",
            "On every day of the week, soup is to be had at the {a} until midnight.",
        ),
    ),
    KINDS[4]: (
        _Shift(
            ("In {y} the {a} was flooded; in the same spring the bridge was taken down.",),
            "The bridge disappeared in the spring of the flood at the {a}.",
            "The bridge disappeared because of the flood at the {a}.",
        ),
        _Shift(
            ("{p} left the {a} in {y}, the year in which the orchard was sold.",),
            "The sale of the orchard fell into the year in which {p} left the {a}.",
            "The sale of the orchard was the reason for which {p} left the {a}.",
        ),
    ),
    KINDS[5]: (
        _Shift(
            ("Some historians think that the oldest beam of the {a} may come from a ship.",),
            "A ship is among the possible sources of the oldest beam of the {a}.",
            "A ship is the source of the oldest beam of the {a}.",
        ),
        _Shift(
            ("{p} is said to have planned the garden of the {a}, although no drawing is known.",),
            "The garden of the {a} is attributed to {p} without a drawing to prove it.",
            "The garden of the {a} was planned by {p}, as a drawing proves.",
        ),
    ),
    KINDS[6]: (
        _Shift(
            ("{p}, who had not managed a house before, leased the {a} in {y}.",),
            "The {a} was leased in {y} by {p}, who was new to managing a house.",
            "The {a} was leased in {y} by {p}, who was used to managing a house.",
        ),
        _Shift(
            ("The clerk noted that the heirs, whom nobody had asked, gave up the {a} in {y}.",),
            "According to the clerk, the heirs gave up the {a} in {y} without having been consulted.",
            "According to the clerk, the heirs gave up the {a} in {y} after having been consulted.",
        ),
    ),
}


def paraphrase_fault(seed: int, level: int) -> Rung:
    """Retell one sentence of a long passage; the level sets the kind of the shift of meaning."""
    rng = dial_rng("paraphrase_fault", seed)
    kind = KINDS[level - 1]
    shift = _fill_in(rng.choice(_SHIFTS[kind]), rng.choice(HOUSES), rng)
    passage = [filling_sentence(rng) for _ in range(_PASSAGE_SENTENCES)]
    # If the shift needs a second sentence, it stands half a passage away from the first.
    first_position = random_index(rng, _PASSAGE_SENTENCES // 4)
    for number, sentence in enumerate(shift.sentences):
        passage = with_item(passage, first_position + number * (_PASSAGE_SENTENCES // 2), sentence)
    return house_rung(as_results([" ".join(passage)]), shift.retold, shift.shifted, kind)


def retold_claims(seed: int, level: int) -> Rung:
    """Retell ``level`` sentences of a passage, one of them with a subtle shift of meaning."""
    rng = dial_rng("retold_claims", seed)
    # For all claims at every level, so that rungs of a seed differ only in their level. The first kinds are too obvious.
    kinds = [rng.choice(KINDS[2:]) for _ in range(_MAX_CLAIMS)]
    houses = rng.sample(HOUSES, _MAX_CLAIMS)
    shifts = [
        _fill_in(rng.choice(_SHIFTS[kind]), house, rng) for kind, house in zip(kinds, houses, strict=True)
    ]
    sentences = [sentence for shift in shifts for sentence in (*shift.sentences, filling_sentence(rng))]
    index = random_index(rng, level)
    retold = [shift.retold for shift in shifts[:level]]
    return house_rung(
        as_results([" ".join(sentences)]),
        retold,
        with_item(retold, index, shifts[index].shifted),
        f"claim {index + 1} of {level}: {kinds[index]}",
    )


def _fill_in(shift: _Shift, house: str, rng: random.Random) -> _Shift:
    """Fill in the placeholders of a shift."""
    number = rng.randint(12, 90)
    first, second = rng.sample(PEOPLE, 2)
    words = {
        "a": house,
        "n": number,
        "m": number + rng.choice((-9, -2, 2, 9)),
        "y": rng.randint(1702, 1998),
        "p": first,
        "q": second,
    }
    sentences = tuple(sentence.format(**words) for sentence in shift.sentences)
    return _Shift(sentences, shift.retold.format(**words), shift.shifted.format(**words))


PARAPHRASE_DIALS = (
    steps("paraphrase_fault", "groundedness", paraphrase_fault, KINDS, "a sentence of a long passage is retold with another meaning"),
    Dial("retold_claims", "groundedness", retold_claims, (1, 2, 3, 4, 6, 8, 12, 16, _MAX_CLAIMS), "claims",
         "one of the retold sentences has another meaning"),
)  # fmt: skip
"""Dials of paraphrases."""
