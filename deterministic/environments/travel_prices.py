"""Flight prices in the travel world.

A price is the route's base price times the class factor, doubled on every other date.
"""

from __future__ import annotations

from functools import cache

from .world import table

_CLASS_FACTORS = {"economy": 1, "business": 2, "first": 5}


def price(travel_from: str, travel_to: str, travel_date: str, travel_class: str) -> float:
    """Return the price of one flight.

    The return flight may have another price. Of the date, only the parity of the digit sum matters.
    """
    route = (travel_from, travel_to)
    if route not in _base_prices():
        raise ValueError("No available route for the given airports.")
    return float(_base_prices()[route] * _multiplier(travel_date, travel_class))


def all_prices(travel_date: str, travel_class: str) -> list[float]:
    """Return the prices of all routes for a date and class, in table order."""
    multiplier = _multiplier(travel_date, travel_class)
    return [float(base * multiplier) for base in _base_prices().values()]


def is_class(travel_class: str) -> bool:
    """Return whether a travel class exists."""
    return travel_class in _CLASS_FACTORS


def _multiplier(travel_date: str, travel_class: str) -> int:
    if not is_class(travel_class):
        raise ValueError("Invalid travel class. Options are: economy, business, first.")
    digit_sum = sum(int(character) for character in travel_date if character.isdigit())
    return _CLASS_FACTORS[travel_class] * (2 if digit_sum % 2 == 0 else 1)


@cache
def _base_prices() -> dict[tuple[str, str], int]:
    return {(start, end): base for start, end, base in table("travel")["base_prices"]}
