"""Pass threshold of a judge: the user's, the one the judge declares, or 0.5.

Each judge has its own threshold, because judges have different scales.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal, TypeAlias

import msgspec

from ..errors import UsageError
from ..records import known_names
from ..spelling import setting

ThresholdSource: TypeAlias = Literal["told", "declared", "costs", "default"]
"""Source of a judge's threshold: the user, the judge itself, the costs of errors, or the default."""

HALF = 0.5
"""Default threshold."""


class PassThreshold(msgspec.Struct, frozen=True):
    """Score from which a judge's verdict counts as a pass.

    Attributes:
        at: Lowest score that passes, in (0, 1].
        source: Where the threshold comes from.
    """

    at: float = HALF
    source: ThresholdSource = "default"

    def __str__(self) -> str:
        return f"{self.at:g} ({_SOURCES[self.source]})"


_SOURCES = {"told": "as told", "declared": "its own", "costs": "by the costs of errors", "default": "default"}


@dataclass(frozen=True, slots=True)
class PassAt:
    """Pass-threshold overrides.

    Attributes:
        everywhere: Threshold of every judge that is not named, or None for each judge's own.
        judges: Threshold by judge name, or by its first parts: ``groundedness``, ``groundedness/reasons``.
    """

    everywhere: float | None = None
    judges: Mapping[str, float] = field(default_factory=dict[str, float])

    def of(self, names: Iterable[str], own_threshold: PassThreshold) -> PassThreshold:
        """Return a judge's threshold: the most specific override, the general one, or its own."""
        names = list(names)
        matching = [prefix for prefix in self.judges if any(begins(name, prefix) for name in names)]
        if matching:
            return PassThreshold(self.judges[max(matching, key=len)], "told")
        return own_threshold if self.everywhere is None else PassThreshold(self.everywhere, "told")

    def require_known_judges(self, names: Iterable[str]) -> None:
        """Require that every override by name is for one of these judges.

        Raises:
            UsageError: There is no judge of a name.
        """
        names = list(dict.fromkeys(names))
        for prefix, threshold in self.judges.items():
            if not any(begins(name, prefix) for name in names):
                raise UsageError(
                    f"{setting('pass_at', f'{prefix}={threshold:g}')}: there is no judge {prefix!r}{known_names(prefix, names)}"
                )


NO_OVERRIDES = PassAt()
"""No override; each judge uses its own threshold."""

GivenPassAt: TypeAlias = PassAt | Mapping[str, float] | float | None
"""Threshold for all judges, thresholds by judge, or None for each judge's own."""


def pass_at_of(thresholds: GivenPassAt) -> PassAt:
    """Return a caller's threshold overrides.

    Raises:
        UsageError: A threshold is not in (0, 1].
    """
    if isinstance(thresholds, PassAt):
        overrides = thresholds
    elif isinstance(thresholds, Mapping):
        overrides = PassAt(judges=thresholds)
    else:
        overrides = PassAt(thresholds)
    everywhere = [] if overrides.everywhere is None else [overrides.everywhere]
    for threshold in [*overrides.judges.values(), *everywhere]:
        if not isinstance(threshold, Real):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
            raise UsageError(
                f"pass_at: expected a number or a mapping of judges to numbers, got {threshold!r}"
            )
        if not 0 < threshold <= 1:
            raise UsageError(
                f"pass_at: a verdict passes at a score above 0 and at most 1, not at {threshold:g}"
            )
    return overrides


def begins(name: str, prefix: str) -> bool:
    """Return whether a judge is named ``prefix``, with or without a variant and a model."""
    return name == prefix or name.startswith((f"{prefix}/", f"{prefix}@"))
