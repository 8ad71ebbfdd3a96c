"""Pass threshold of a judge: the user's, the one the judge declares, or 0.5.

Each judge has its own threshold, because judges have different scales.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
"""Display text of each source."""


class ThresholdOverrides(dict[str, float]):
    """Thresholds by judge, in which the name "" stands for all judges not named.

    Callers give a number or named judges. Only the command line has both at once, and makes this itself.
    """


def threshold_overrides(pass_at: float | Mapping[str, float] | None) -> ThresholdOverrides:
    """Return a caller's thresholds by judge.

    Raises:
        UsageError: A threshold is not in (0, 1], or a judge has no name.
    """
    if isinstance(pass_at, ThresholdOverrides):
        overrides = pass_at
    elif isinstance(pass_at, Mapping):
        overrides = ThresholdOverrides(pass_at)
        if "" in overrides:
            raise UsageError(
                f"pass_at={dict(overrides)!r}: there is no judge ''; a threshold of all judges is a number"
            )
    else:
        overrides = ThresholdOverrides({} if pass_at is None else {"": pass_at})
    for threshold in overrides.values():
        if isinstance(threshold, bool) or not isinstance(threshold, Real):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
            raise UsageError(
                f"pass_at: expected a number or a mapping of judges to numbers, got {threshold!r}"
            )
        if not 0 < threshold <= 1:
            raise UsageError(
                f"pass_at: a verdict passes at a score above 0 and at most 1, not at {threshold:g}"
            )
    return overrides


def require_overridden_judges(overrides: Mapping[str, float], judges: Iterable[str]) -> None:
    """Require that every judge whose threshold is overridden is among these judges.

    Raises:
        UsageError: One is not.
    """
    judges = list(dict.fromkeys(judges))
    for prefix, threshold in overrides.items():
        if prefix and not any(begins(judge, prefix) for judge in judges):
            raise UsageError(
                f"{setting('pass_at', f'{prefix}={threshold:g}')}: there is no judge {prefix!r}{known_names(prefix, judges)}"
            )


def overridden_threshold(
    own_threshold: PassThreshold, overrides: Mapping[str, float], names: Iterable[str]
) -> PassThreshold:
    """Return the most specific override of a judge's threshold, or its own threshold.

    Args:
        own_threshold: The judge's own threshold.
        overrides: Thresholds by judge name, or by its first parts: ``groundedness``, ``groundedness/reasons``.
        names: Names of the judge.
    """
    names = list(names)
    prefixes = [prefix for prefix in overrides if not prefix or any(begins(name, prefix) for name in names)]
    return PassThreshold(overrides[max(prefixes, key=len)], "told") if prefixes else own_threshold


def begins(name: str, prefix: str) -> bool:
    """Return whether a judge is named ``prefix``, with or without a variant and a model."""
    return name == prefix or name.startswith((f"{prefix}/", f"{prefix}@"))
