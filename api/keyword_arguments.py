"""Keyword arguments that several functions share: an unknown one is refused, not ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import UsageError
from ..records import nearest


def refuse_unknown(
    arguments: Iterable[str], declared: type, *, hints: Mapping[str, str] | None = None
) -> None:
    """Refuse arguments that a function does not take.

    Python checks names in a signature only, not those of a TypedDict.

    Args:
        arguments: Names of the arguments.
        declared: The TypedDict that declares them.
        hints: By name, what to write instead.

    Raises:
        UsageError: A name is unknown.
    """
    names = declared.__annotations__
    for name in arguments:
        if name not in names:
            instead = (hints or {}).get(name)
            hint = f": {instead}" if instead else nearest(name, names)
            raise UsageError(f"{name}= is no argument of this function{hint}")
