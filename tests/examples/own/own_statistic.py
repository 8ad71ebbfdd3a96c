import numpy as np
from numpy.typing import NDArray

import fiducial as fd

Values = NDArray[np.float64]


@fd.statistic("overpraise")
def overpraise(labels: Values, scores: Values, weights: Values) -> float | None:
    """Return the judge's mean score of wrong outputs."""
    wrong = labels == 0
    return float(np.average(scores[wrong], weights=weights[wrong])) if wrong.any() else None
