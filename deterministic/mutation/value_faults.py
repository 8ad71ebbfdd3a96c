"""Operators on tool calls that change the value of one argument."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias, cast

from ...records import OF_CALLS
from . import near_values
from .documented_form import has_type
from .near_values import near_names
from .operator import Mutation, Operator, calls_mutation
from .seeding import shuffled
from .subject import Site, Subject, with_value

Perturb: TypeAlias = Callable[[Site, random.Random], Iterator[Any]]
"""Yields wrong values for a site; none if this fault does not apply."""


def mutate_values(perturb: Perturb, subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Yield a mutation for each wrong value of each site."""
    calls = subject.calls
    for site in shuffled(subject.sites, rng):
        for value in perturb(site, rng):
            change = f"{calls[site.call].name}: {site.path_text} was {site.value!r}, is {value!r}"
            yield calls_mutation(subject, with_value(calls, site, value), change)


def other_enum(site: Site, rng: random.Random) -> Iterator[Any]:
    """Give another of the documented values."""
    choices: Any = site.document.get("enum")
    if isinstance(choices, list) and site.value in choices:
        yield from shuffled([choice for choice in cast("list[Any]", choices) if choice != site.value], rng)


def _change_numbers(
    change_number: Callable[[float], Iterator[float]], change_text: Callable[[str], Iterator[str]]
) -> Perturb:
    """Return a function that changes numbers, and with another function numbers in texts."""

    def perturb(site: Site, _rng: random.Random) -> Iterator[Any]:
        if type(site.value) in {int, float}:
            yield from change_number(site.value)
        elif type(site.value) is str:
            yield from change_text(site.value)

    return perturb


def _change_texts(change: Callable[[str], Iterator[str]]) -> Perturb:
    def perturb(site: Site, _rng: random.Random) -> Iterator[Any]:
        if type(site.value) is str:
            yield from change(site.value)

    return perturb


near_number = _change_numbers(near_values.near_numbers, near_values.near_numbers_in_text)
other_sign = _change_numbers(near_values.other_sign, near_values.other_sign_in_text)
other_magnitude = _change_numbers(near_values.other_magnitude, near_values.other_magnitude_in_text)
other_date = _change_texts(near_values.shift_dates)
other_unit = _change_texts(near_values.other_unit)


def near_name(site: Site, rng: random.Random) -> Iterator[Any]:
    """Give a name that begins like the right one."""
    if type(site.value) is str and "enum" not in site.document:
        yield from near_names(site.value, rng)


def other_truth_value(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Negate a boolean."""
    if type(site.value) is bool:
        yield not site.value


def other_type(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Give the value as another type than the documented one.

    A number or boolean becomes a text, a text is put in a list, and a list becomes a text.
    """
    value: Any = site.value
    match value:
        case bool() | int() | float():
            value = str(value)
        case str():
            value = [value]
        case list():
            value = ", ".join(map(str, cast("list[Any]", value)))
        case _:
            return
    # A value that the document allows as well is no fault.
    if not has_type(value, site.document):
        yield value


def dropped_item(site: Site, rng: random.Random) -> Iterator[Any]:
    """Drop one item of a list."""
    if type(site.value) is list and len(items := cast("list[Any]", site.value)) > 1:
        dropped_index = rng.randrange(len(items))
        yield items[:dropped_index] + items[dropped_index + 1 :]


def reversed_items(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Reverse a list whose order matters.

    It matters if the document describes the items one by one, or if the reference says so.
    """
    if site.order == "matters":
        items = cast("list[Any] | tuple[Any, ...]", site.value)
        if items != items[::-1]:
            yield items[::-1]


PERTURBATIONS: dict[str, tuple[Perturb, str]] = {
    "swapped_enum": (other_enum, "another of the documented values"),
    "off_by_one": (near_number, "a whole number one too large or too small"),
    "flipped_sign": (other_sign, "a number of the other sign"),
    "wrong_magnitude": (other_magnitude, "ten times as much, a tenth, or a decimal point lost"),
    "shifted_date": (other_date, "a date some days, a month or a year away"),
    "wrong_unit": (other_unit, "another unit of measure"),
    "near_name": (near_name, "a name that begins like the right one"),
    "flipped_boolean": (other_truth_value, "true for false"),
    "wrong_type": (other_type, "the right value as another type"),
    "dropped_item": (dropped_item, "one item of a list left out"),
    "reversed_list": (reversed_items, "a list whose order matters, from back to front"),
}
"""Functions that change a value, and their descriptions, by name of the operator."""

VALUE_FAULTS = tuple(
    Operator(name, OF_CALLS, "fault", partial(mutate_values, perturb), about)
    for name, (perturb, about) in PERTURBATIONS.items()
)
