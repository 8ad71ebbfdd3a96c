"""Base of judges that ask one prompt about the parts of an output or of its case."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import msgspec

from ..records import JudgeId, JudgeKind, Kind
from .composite import Composite
from .prompt_judge import PromptJudge


@dataclass(frozen=True)
class JudgeOfParts(Composite):
    """A judge whose verdicts follow from one prompt's verdicts on parts.

    Attributes:
        judge: The judge of the parts.
    """

    judge: PromptJudge

    @property
    def kinds(self) -> frozenset[Kind] | None:
        """See `Judge`."""
        return self.judge.kinds

    @property
    def pass_at(self) -> float | None:
        """See `Judge`."""
        return self.judge.pass_at

    def _id(self, kind: JudgeKind, depends_on: str) -> JudgeId:
        """Return the judge's id, whose fingerprint also depends on a text."""
        text = f"{self.judge.fingerprint} {depends_on}"
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        return msgspec.structs.replace(self.judge.id, kind=kind, fingerprint=fingerprint)
