"""What writers are given: an output with its case and all that was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ..errors import UsageError
from ..records import Case, JudgeId, Output, Verdict


class Judged(NamedTuple):
    """One output."""

    case: Case
    output: Output
    verdicts: list[Verdict]

    @property
    def item_id(self) -> str:
        """The name of the output in tables."""
        return str(self.output.key)


class Known(NamedTuple):
    """What is known of a run as a whole.

    Attributes:
        task: What the run is called.
        created: When, in ISO 8601.
        cuts: From which score on verdicts pass, by who gives them; 0.5 for others.
        agreement: How far judges agree with labels, by name: value, low, high and n of the accuracy.
    """

    task: str
    created: str
    cuts: Mapping[str, float]
    agreement: Mapping[str, Mapping[str, float]]

    def passes(self, verdict: Verdict) -> bool | None:
        """Whether a verdict passes; None where there is no score."""
        return None if verdict.score is None else verdict.score >= self.cuts.get(verdict.by, 0.5)


class Written(msgspec.Struct, kw_only=True):
    """What was written.

    Attributes:
        files: The files.
        rows: How many rows, of whatever the format has.
        left_out: Verdicts that the format has no place for, by the reason.
    """

    files: list[str]
    rows: int
    left_out: dict[str, int] = {}


def identity(verdict: Verdict) -> dict[str, Any]:
    """Who gave a verdict, in our own namespace: what OpenTelemetry and others have no field for."""
    judge: JudgeId | None = verdict.judge
    own: dict[str, Any] = {
        "fiducial.source": verdict.source,
        "fiducial.outcome": verdict.outcome,
        "fiducial.trial": verdict.trial,
        "fiducial.repeat": verdict.repeat,
        "fiducial.system": verdict.system,
        "fiducial.case_id": verdict.case_id,
        "fiducial.error_type": verdict.error_type,
    }
    if judge is not None:
        own |= {f"fiducial.judge.{name}": getattr(judge, name) for name in ("kind", "name", "variant", "model", "fingerprint")}  # fmt: skip
    return {name: value for name, value in own.items() if value not in {None, ""}}


def only_one(items: list[Judged], what: str) -> tuple[str, str]:
    """The system and the judge of verdicts of which there may be only one each.

    Raises:
        UsageError: There are several.
    """
    systems = {item.output.system for item in items}
    judges = {verdict.by for item in items for verdict in item.verdicts}
    for option, names in (("--system", systems), ("--judge", judges)):
        if len(names) != 1:
            told = ", ".join(sorted(names)) or "none"
            raise UsageError(f"{what} has room for one: say {option}, one of {told}")
    return systems.pop(), judges.pop()
