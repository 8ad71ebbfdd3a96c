import numpy as np
from numpy.typing import NDArray

import fiducial as fd

Values = NDArray[np.float64]


@fd.statistic("overpraise")
def overpraise(labels: Values, scores: Values, weights: Values) -> float | None:
    """How much the judge gives on average to what is wrong."""
    wrong = labels == 0
    return float(np.average(scores[wrong], weights=weights[wrong])) if wrong.any() else None
