"""Every regular expression of the package takes linear time, whatever it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from time import thread_time
from typing import Any

import pytest

import fiducial

pytestmark = [pytest.mark.attack("time"), pytest.mark.slow]

_BEGINNINGS = ("", "# a", "(", "[", "'", '"', "new ", "f(a=", "a@", "-")
_REPEATED = (
    *" \n\t0aA_(,.=-`#*:<>[{\"'\\/|éß\0",
    *(
        " \n",
        "\t ",
        "\r\n",
        "a ",
        "a,",
        "a=",
        "a.",
        "0.",
        "0,",
        "1 ",
        "+0",
        "--",
        "//",
        "[[",
        "{{",
        "{%",
        "()",
        "a(",
    ),
    *(
        "\\'",
        '\\"',
        "'a',",
        '"a",',
        "<a>",
        "</a>",
        "<S0>",
        "user:\n",
        ".prompty",
        "system :",
        "YYYY-",
        "new ",
        "“",
        "„“",
    ),
)
_ENDINGS = ("", "\0")
_NO_LITERAL = re.compile(r"\(\?(P?<\w+>|<?[=!:>])|\\\w")
_LITERALS = re.compile(r"[^\\\[\](){}?*+|^$.]+")
_MAX_LITERALS = 5
"""Of those in an expression, the longest."""
_SHORT, _LONG, _LONGEST = 2_500, 10_000, 40_000
_NOTHING = 0.01
"""Seconds in which no expression that takes quadratic time is through with so much."""
_TOO_OFTEN = 64
"""Times as long for 16 times the text: 16 is linear, 256 quadratic; a busy machine is neither."""


_PACKAGE = Path(fiducial.__file__).parent
_ROOMS = sorted(
    {path.parent.name for path in _PACKAGE.glob("*/__init__.py")}
    | {path.stem for path in _PACKAGE.glob("*.py") if not path.stem.startswith("__")}
)


def _patterns(room: str) -> dict[str, tuple[str, re.Pattern[str]]]:
    """Return the expressions in a room's modules, alone or in tables, with their names."""
    package = f"fiducial.{room}"
    modules = walk_packages([str(_PACKAGE / room)], f"{package}.")
    found: dict[str, tuple[str, re.Pattern[str]]] = {}
    for name in (package, *(module.name for module in modules)):
        with suppress(ImportError):  # an optional dependency is not installed
            for variable, value in vars(import_module(name)).items():
                for pattern in _patterns_in(value):
                    found[pattern.pattern] = f"{name}.{variable}", pattern
    return found


def _patterns_in(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):  # pyright: ignore[reportUnknownMemberType]
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _patterns_in(each)
    elif isinstance(value, dict):
        yield from _patterns_in(list(value.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


def test_the_expressions_of_the_package_are_found():
    assert sum(len(_patterns(room)) for room in ("judges", "formats", "deterministic")) > 60


def _own_pieces(pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the literal texts of an expression, alone and one behind another, which meet most of it."""
    literals = sorted(
        set(_LITERALS.findall(_NO_LITERAL.sub("[", pattern.pattern))), key=lambda text: (-len(text), text)
    )
    for first in literals[:_MAX_LITERALS]:
        yield first
        yield f"{first}a"
        yield from (first + between + second for between in ("", "0") for second in literals[:_MAX_LITERALS])


@pytest.mark.parametrize("room", _ROOMS)
def test_sixteen_times_the_text_takes_nowhere_near_the_square_of_the_time(room: str):
    assert [line for name, pattern in _patterns(room).values() for line in _superlinear(name, pattern)] == []


def _superlinear(name: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the texts on which an expression takes more than linear time."""
    for repeated in (*_REPEATED, *_own_pieces(pattern)):
        for beginning in _BEGINNINGS if repeated in " \n0a" else ("",):
            for ending in _ENDINGS:
                case = (beginning, repeated, ending)
                if _seconds(pattern, case, _LONG) > _NOTHING:
                    short = min(_seconds(pattern, case, _SHORT) for _ in range(3))
                    longest = min(_seconds(pattern, case, _LONGEST) for _ in range(3))
                    if longest > _TOO_OFTEN * short:
                        yield f"{name} on {case}: {short:.3f} s, then {longest:.3f} s"


def _seconds(pattern: re.Pattern[str], case: tuple[str, str, str], size: int) -> float:
    beginning, repeated, ending = case
    text = beginning + repeated * (size // len(repeated)) + ending
    started = thread_time()
    pattern.search(text)
    return thread_time() - started
