"""Recorded adjudications as verdicts for `fiducial calibrate --adjudications`.

Writes benchmarks/recorded/adjudications.jsonl.

    python benchmarks/recorded_adjudications.py adjudication.jsonl [--out benchmarks/recorded/adjudications.jsonl]

Every disagreement between a judge and an official label was decided twice, independently, by the model that was the judge; so the verdicts are signed as a
model's, and everything that is made of them says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from commands import described

import fiducial as fd

OUT = Path(__file__).parent / "recorded" / "adjudications.jsonl"

JUDGE, LABEL, NOBODY = "the judge", "the official label", "undecidable"
"""Who is right."""

_HALF = 0.5

FAULTS = {
    "too_narrow_reference": "reference_too_narrow",
    "too_broad_reference": "reference_too_broad",
    "wrong_reference": "reference_wrong",
    "ambiguous_request": "request_ambiguous",
    "type_pedantry": "format",
    "format_convention": "format",
}
"""Kinds of fault as they were recorded, and as `fiducial review` calls them."""


class Opinion(msgspec.Struct, frozen=True):
    """Adjudication: is the output right, why, and why judge and label differed."""

    verdict: Literal["right", "wrong", "undecidable"]
    why: str
    kind: str | None = None


class Adjudicated(msgspec.Struct, frozen=True):
    """A disagreement between a judge and a label, decided twice, independently."""

    case_id: str
    system: str
    judge: str
    judge_score: float
    label: float
    first: Opinion
    second: Opinion


def read_recorded(path: Path) -> list[Adjudicated]:
    """Read what was recorded."""
    given = msgspec.json.Decoder(Adjudicated)
    return [given.decode(line) for line in path.read_bytes().splitlines()]


def side(row: Adjudicated, opinion: Opinion) -> str:
    """Return the side that the adjudication confirms: the judge, the label or neither."""
    if opinion.verdict == "undecidable":
        return NOBODY
    return JUDGE if (opinion.verdict == "right") == (row.judge_score >= _HALF) else LABEL


def as_verdicts(row: Adjudicated) -> Iterator[fd.Verdict]:
    """Both decisions on a disagreement, as verdicts of a model."""
    for name, opinion in (("claude, first reading", row.first), ("claude, second reading", row.second)):
        yield fd.Verdict(
            case_id=row.case_id,
            system=row.system,
            by=name,
            source="judge",
            outcome="undecided" if opinion.verdict == "undecidable" else "graded",
            score={"right": 1.0, "wrong": 0.0}.get(opinion.verdict),
            reason=opinion.why,
            evidence={
                "review": {
                    "sample": "disagreements",
                    "fault": FAULTS.get(opinion.kind or "", "other"),
                    "judge": row.judge,
                    "judge_score": row.judge_score,
                    "label": row.label,
                }
            },
        )


def main() -> int:
    """Write the verdicts; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("recorded", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    rows = read_recorded(arguments.recorded)
    fd.write_records(arguments.out, [verdict for row in rows for verdict in as_verdicts(row)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
