"""Array types, and division that says "undefined" instead of warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

_ROUNDING = 1e-13
"""A variance of numbers in [0, 1] below this is rounding: the numbers are one constant."""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, element by element; NaN where the denominator is 0, which callers turn into a typed "undefined".

    Args:
        numerator: Any shape; real, or complex while a formula is being differentiated.
        denominator: A shape that broadcasts with it.

    Returns:
        The quotient.
    """
    zero = np.abs(denominator) <= _ROUNDING
    return np.where(zero, np.nan, numerator / np.where(zero, 1.0, denominator))


def derivative(
    function: Callable[[FloatArray], FloatArray], at: FloatArray, directions: FloatArray
) -> FloatArray:
    """Directional derivatives by the complex step: exact to rounding, with no difference to lose digits in.

    Source: Squire and Trapp 1998. The function must be built of analytic operations (comparisons of real parts are fine).

    Args:
        function: Maps weights ``(..., m)`` to values ``(...)``.
        at: The point, shape ``(m,)``.
        directions: Shape ``(k, m)``.

    Returns:
        Shape ``(k,)``.
    """
    step = 1e-30
    moved: FloatArray = at + 1j * step * directions  # pyright: ignore[reportAssignmentType] - complex on purpose
    return np.imag(function(moved)) / step
