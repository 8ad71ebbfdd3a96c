"""A finer score from log-probabilities: how likely the judge was to give the best score instead of the worst."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .scale import Scale
from .transport import TokenLogprob


def probability_of_best(tokens: Sequence[TokenLogprob], scale: Scale) -> float | None:
    """The probability of the best score against the worst, at the last token that is one of the two.

    The mass of both tokens among the likeliest is compared, so that what went to other tokens does not count.

    Args:
        tokens: The reply's tokens with their alternatives.
        scale: A scale of two scores.

    Returns:
        In [0, 1]; None when the scale has more than two scores, or the alternatives are not known.
    """
    if not scale.is_binary:
        return None
    best, worst = (f"{end:g}" for end in sorted((scale.minimum, scale.maximum), key=scale.normalise)[::-1])
    for token in reversed(tokens):
        if token.token.strip() in {best, worst}:
            mass = {best: 0.0, worst: 0.0}
            for text, logprob in {token.token: token.logprob, **token.top}.items():
                if text.strip() in mass:
                    mass[text.strip()] += math.exp(min(0.0, logprob))
            total = mass[best] + mass[worst]
            return mass[best] / total if token.top and total > 0 else None
    return None
