"""McNemar's test: do two judges, on the same items, differ in how often they are right?"""

from __future__ import annotations

from typing import NamedTuple

from scipy.special import bdtr, chdtrc


class McNemar(NamedTuple):
    """The p-values of McNemar's test, two-sided.

    Attributes:
        exact_p: Binomial, never too small.
        midp: Binomial with half of the observed probability; the one to use (Fagerland et al. 2013).
        chi2: (b - c)^2 / (b + c); None where nothing is discordant.
        chi2_p: Its p-value; None likewise.
        chi2_corrected: With Edwards' continuity correction; None likewise.
        chi2_corrected_p: Its p-value; None likewise.
    """

    exact_p: float
    midp: float
    chi2: float | None
    chi2_p: float | None
    chi2_corrected: float | None
    chi2_corrected_p: float | None


def mcnemar(a_only: int, b_only: int) -> McNemar:
    """McNemar's test.

    Source: McNemar 1947; exact and mid-p forms as in Fagerland, Lydersen and Laake 2013.

    Args:
        a_only: Items on which only the first is right.
        b_only: Items on which only the second is right.

    Returns:
        The p-values; with no discordant item the exact ones are 1 and the asymptotic ones are undefined.

    Raises:
        ValueError: A count is negative.
    """
    if min(a_only, b_only) < 0:
        raise ValueError("counts are at least 0")
    discordant = a_only + b_only
    if discordant == 0:
        return McNemar(1.0, 1.0, None, None, None, None)
    fewer = min(a_only, b_only)
    tail = float(bdtr(fewer, discordant, 0.5))
    point = tail - (float(bdtr(fewer - 1, discordant, 0.5)) if fewer else 0.0)
    chi2 = (a_only - b_only) ** 2 / discordant
    corrected = max(0, abs(a_only - b_only) - 1) ** 2 / discordant
    return McNemar(
        exact_p=min(1.0, 2 * tail),
        midp=min(1.0, 2 * tail - point),
        chi2=chi2,
        chi2_p=float(chdtrc(1, chi2)),
        chi2_corrected=corrected,
        chi2_corrected_p=float(chdtrc(1, corrected)),
    )
