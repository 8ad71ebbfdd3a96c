"""Calculator environment: arithmetic, statistics and units, without a state."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Mapping, Sized
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from ...errors import MissingExtraError
from .world import World, error, load_table, sum_left_to_right

# BFCL has no limits; with these, no call takes long or fills the memory.
_MAX_PRECISION = 1_000
_MAX_POWER_BITS = 16_384
_MAX_LENGTH = 1_000_000

_TWO_NUMBERS_ERROR = "Both inputs must be numbers"
_NUMBERS_ERROR = "All elements in the list must be numbers"


class MathAPI(World):
    """Arithmetic, statistics and unit conversions; every result is ``{"result": number}``."""

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Do nothing; the calculator has no initial state."""

    def state(self) -> dict[str, Any]:
        """Return an empty dict; the calculator has no state to compare."""
        return {}

    # Arithmetic.

    def add(self, a: float, b: float) -> dict[str, Any]:
        """Return the sum of two numbers, or concatenate two texts or lists."""
        _require_moderate_length(a, b)
        return _result(lambda: a + b, _TWO_NUMBERS_ERROR)

    def subtract(self, a: float, b: float) -> dict[str, Any]:
        """Return the difference of two numbers."""
        return _result(lambda: a - b, _TWO_NUMBERS_ERROR)

    def multiply(self, a: float, b: float) -> dict[str, Any]:
        """Return the product of two numbers."""
        if not _is_number(a) or not _is_number(b):
            return error(_TWO_NUMBERS_ERROR)
        return {"result": a * b}

    def divide(self, a: float, b: float) -> dict[str, Any]:
        """Return the quotient of two numbers."""
        if b == 0:
            return error("Cannot divide by zero")
        return _result(lambda: a / b, _TWO_NUMBERS_ERROR)

    def power(self, base: float, exponent: float) -> dict[str, Any]:
        """Raise a number to a power."""
        _require_moderate_power(base, exponent)
        return _result(lambda: base**exponent, _TWO_NUMBERS_ERROR)

    def percentage(self, part: float, whole: float) -> dict[str, Any]:
        """Return a part as a percentage of a whole."""
        if whole == 0:
            return error("Whole value cannot be zero")
        return _result(lambda: (part / whole) * 100, _TWO_NUMBERS_ERROR)

    def absolute_value(self, number: float) -> dict[str, Any]:
        """Return the absolute value of a number."""
        return _result(lambda: abs(number), "Input must be a number")

    def round_number(self, number: float, decimal_places: int = 0) -> dict[str, Any]:
        """Round a number to a given number of decimal places, halves to even."""
        return _result(
            lambda: round(number, _clip_decimal_places(number, decimal_places)),
            "First input must be a number, second input must be an integer",
        )

    # Roots and logarithms with a given precision.

    def logarithm(self, value: float, base: float, precision: int) -> dict[str, Any]:
        """Return a logarithm as an mpmath number with ``precision`` significant digits."""
        _mpmath()  # outside `try`, since a missing package is not an error of the API
        try:
            digits = int(precision)
            _require_moderate_precision(digits)
            context = _mpmath_context(digits)
            with _keep_digit_limit():
                return {"result": context.ln(value) / context.ln(base)}
        except Exception as problem:  # noqa: BLE001 - the API returns the text of any error
            return error(str(problem))

    def square_root(self, number: float, precision: int) -> dict[str, Any]:
        """Return a square root as a Decimal with ``precision`` significant digits."""
        from decimal import Context, Decimal, InvalidOperation  # noqa: PLC0415 - seldom needed

        try:
            if number < 0:
                return error("Cannot calculate square root of a negative number")
            context = Context(prec=precision)
            _require_moderate_precision(context.prec)
            return {"result": Decimal(number).sqrt(context)}
        except (TypeError, InvalidOperation):
            return error("Input must be a number or computation resulted in an invalid operation")

    # Statistics.

    def mean(self, numbers: list[float]) -> dict[str, Any]:
        """Return the arithmetic mean."""
        return _statistic("calculate mean", numbers, lambda: sum_left_to_right(numbers) / len(numbers))

    def standard_deviation(self, numbers: list[float]) -> dict[str, Any]:
        """Return the population standard deviation of the numbers."""

        def deviation() -> float:
            mean = sum_left_to_right(numbers) / len(numbers)
            return math.sqrt(sum_left_to_right((number - mean) ** 2 for number in numbers) / len(numbers))

        return _statistic("calculate standard deviation", numbers, deviation)

    def min_value(self, numbers: list[float]) -> dict[str, Any]:
        """Return the smallest number."""
        return _statistic("find minimum", numbers, lambda: min(numbers))

    def max_value(self, numbers: list[float]) -> dict[str, Any]:
        """Return the largest number."""
        return _statistic("find maximum", numbers, lambda: max(numbers))

    def sum_values(self, numbers: list[float]) -> dict[str, Any]:
        """Return the sum."""
        return _statistic("calculate sum", numbers, lambda: sum_left_to_right(numbers))

    # Units.

    def si_unit_conversion(self, value: float, unit_in: str, unit_out: str) -> dict[str, Any]:
        """Convert a length to another metric unit."""
        if not _is_number(value):
            return error("Value must be a number")
        metres = load_table("maths")["metres"]
        if unit_in not in metres or unit_out not in metres:
            return _unsupported_conversion(unit_in, unit_out)
        try:
            return {"result": value * metres[unit_in] * (1 / metres[unit_out])}
        except OverflowError:
            return error("Conversion resulted in a value too large to represent")

    def imperial_si_conversion(self, value: float, unit_in: str, unit_out: str) -> dict[str, Any]:
        """Convert a length, weight or temperature between imperial and metric units."""
        if not _is_number(value):
            return error("Value must be a number")
        if unit_in == unit_out:
            return {"result": value}
        if (unit_in, unit_out) == ("celsius", "fahrenheit"):
            return {"result": value * 1.8 + 32}
        if (unit_in, unit_out) == ("fahrenheit", "celsius"):
            return {"result": (value - 32) * (5 / 9)}
        factor = load_table("maths")["factors"].get(f"{unit_in}_to_{unit_out}")
        return _unsupported_conversion(unit_in, unit_out) if factor is None else {"result": value * factor}


def _result(compute: Callable[[], Any], type_error: str) -> dict[str, Any]:
    """Return the result of a computation, or the API's error for arguments that are not numbers."""
    try:
        return {"result": compute()}
    except TypeError:
        return error(type_error)


def _statistic(action: str, numbers: list[float], compute: Callable[[], Any]) -> dict[str, Any]:
    return _result(compute, _NUMBERS_ERROR) if numbers else error(f"Cannot {action} of an empty list")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _unsupported_conversion(unit_in: str, unit_out: str) -> dict[str, Any]:
    return error(f"Conversion from '{unit_in}' to '{unit_out}' is not supported")


@lru_cache(maxsize=16)
def _mpmath_context(precision: int) -> Any:
    """Return mpmath's functions with a precision of their own; its default context is global."""
    context = _mpmath().MPContext()
    context.dps = precision
    return context


def _mpmath() -> Any:
    """Import mpmath only when it is needed, since that takes long."""
    try:
        import mpmath  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as problem:
        raise MissingExtraError("worlds", "the calculator's logarithm") from problem
    return mpmath


@contextmanager
def _keep_digit_limit() -> Generator[None]:
    """Restore Python's limit on digits, which mpmath does not restore after an error."""
    limit = sys.get_int_max_str_digits()
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


def _require_moderate_precision(precision: int) -> None:
    if precision > _MAX_PRECISION:
        raise ValueError(f"precision of more than {_MAX_PRECISION} digits is not supported")


def _require_moderate_power(base: float, exponent: float) -> None:
    """Refuse powers of integers that are too large, since they are exact at any length."""
    if not isinstance(base, int) or not isinstance(exponent, int) or abs(base) <= 1:
        return
    if (base.bit_length() - 1) * exponent > _MAX_POWER_BITS:
        raise OverflowError("power of whole numbers is too large to represent")


def _require_moderate_length(a: Any, b: Any) -> None:
    """Refuse sums of texts or lists that are too long: they may double with each call."""
    if isinstance(a, Sized) and isinstance(b, Sized) and len(a) + len(b) > _MAX_LENGTH:
        raise OverflowError(f"sum of more than {_MAX_LENGTH} characters or elements is not supported")


def _clip_decimal_places(number: Any, decimal_places: Any) -> Any:
    """Clip negative decimal places beyond a number's digits, for which Python takes very long."""
    if isinstance(number, int) and isinstance(decimal_places, int):
        return max(decimal_places, -number.bit_length() - 1)
    return decimal_places
