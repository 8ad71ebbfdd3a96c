"""Types that promptflow reads at run time.

Inputs are bare, since promptflow refuses `list[...]`. Results are a TypedDict, never a dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

if TYPE_CHECKING:
    Items: TypeAlias = list[Any]
    Columns: TypeAlias = dict[str, Any]
else:
    Items = list

    class Columns(TypedDict):
        """Columns of a result; none is listed, since they are named after the judge."""


NOTHING: Final[Items] = []
"""Default of a column that may be missing; never changed."""
