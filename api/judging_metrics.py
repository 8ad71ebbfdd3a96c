"""`fiducial.judge_from`: another tool's metric, or any function, as a judge in this process."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from functools import partial
from importlib import metadata
from typing import Any, cast

from ..calibration.pass_threshold import PassThreshold
from ..errors import UsageError
from ..evaluation.judging.access import ModelAccess
from ..evaluation.judging.judge_task import JudgeTask
from ..judges.callables import FunctionJudge
from ..judges.metric_adapters import metric_function, unknown_parameters
from ..records import JudgeId
from ..records.made_scores import rounded_score
from .argument_checks import checked_arguments, require_range, require_type
from .callable_judge import CallableJudge


@checked_arguments
def judge_from(
    metric: Any,
    *,
    name: str | None = None,
    key: str | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    pass_at: float | None = None,
) -> CallableJudge:
    """Make a judge of a function, or of a metric of another tool.

    Works with metrics of DeepEval, ragas, MLflow, autoevals, openevals and Azure.

    The metric runs in this process and asks whatever model it was given. It is called by its own parameter names with the last user
    message, the answer, the first accepted answer or criterion, and the passages.

    Args:
        metric: The metric, or a function of such parameters (``input``, ``output``, ``expected``, ``context``, ...).
        name: Author of the verdicts; by default the metric's name.
        key: Name of the score, if it returns a mapping with several.
        scale: The scores that become 0 and 1.
        pass_at: Pass threshold in [0, 1]; by default its ``threshold`` if it has one, else 0.5.

    Returns:
        The judge, for `evaluate`, `audit`, `calibrate` and `compare`.

    Raises:
        UsageError: It cannot be called, requires a parameter of another name, or an argument cannot be used.
    """
    has_measure = any(hasattr(metric, method) for method in ("measure", "single_turn_ascore", "ascore"))
    if not (callable(metric) or has_measure):
        raise UsageError(f"metric: expected a metric or a function, got {type(metric).__name__}")
    require_type("scale", scale, "Sequence[float]")
    if len(scale) != 2 or not -math.inf < scale[0] < scale[1] < math.inf:  # noqa: PLR2004 - both ends  # pyright: ignore[reportUnnecessaryComparison] - callers are not all typed
        raise UsageError(f"scale: expected the lowest and the highest score, got {scale}")
    require_range("pass_at", pass_at, ends="high")
    if unknown := unknown_parameters(metric):
        raise UsageError(
            f"metric: no input is called {unknown[0]!r}; parameters are filled by name: input, output, expected, "
            "context (a function of a case and an output takes @fd.judge_function(NAME))"
        )
    author = name or _name(metric)
    judge_id = JudgeId(
        kind="callable", name=author, variant="metric", fingerprint=_fingerprint(metric, author, key, scale)
    )
    judge = FunctionJudge(judge_id, judge_id.plain, metric_function(metric, key=key, scale=scale))
    pass_threshold = pass_at if pass_at is not None else _threshold(metric, scale)
    threshold = PassThreshold() if pass_threshold is None else PassThreshold(pass_threshold, "declared")
    remake = partial(judge_from, metric, name=name, key=key, scale=scale, pass_at=pass_at)
    return CallableJudge(JudgeTask(judge=judge, threshold=threshold), ModelAccess(), remake)


_RESULT_ATTRIBUTES = frozenset({"score", "reason", "success", "error"})
"""Attributes that a metric sets when it measures, which are no settings."""


def _name(metric: Any) -> str:
    for attribute in ("__name__", "name"):
        name = getattr(metric, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(metric).__name__


def _threshold(metric: Any, scale: tuple[float, float]) -> float | None:
    """Return the threshold that a metric declares, on the scale from 0 to 1."""
    threshold = getattr(metric, "threshold", None)
    if not isinstance(threshold, int | float) or isinstance(threshold, bool):
        return None
    share = rounded_score((float(threshold) - scale[0]) / (scale[1] - scale[0]))
    return share if 0 < share <= 1 else None  # a threshold off the scale is not one of its scores


def _fingerprint(metric: Any, name: str, key: str | None, scale: tuple[float, float]) -> str:
    """Hash a metric's identity: class, source, release of its package, and plain settings."""
    definition: Any = metric
    if not inspect.isroutine(metric):
        definition = cast("Any", type(metric))
    try:
        source = inspect.getsource(definition)
    except (OSError, TypeError):
        source = ""
    package = str(getattr(definition, "__module__", "")).partition(".")[0]
    try:
        release = metadata.version(package)
    except metadata.PackageNotFoundError:
        release = ""
    settings = {
        attribute: value
        for attribute, value in sorted(getattr(metric, "__dict__", {}).items())
        if isinstance(value, str | int | float | bool) and attribute not in _RESULT_ATTRIBUTES
    }
    parts = [name, definition.__qualname__, source, package, release, settings, key, scale]
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()
