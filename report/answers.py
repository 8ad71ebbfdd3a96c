"""What a reader wants to know first, by rules that docs/report.md states: which system is better, which judge may be trusted, what to do next."""

from __future__ import annotations

from collections import Counter

import msgspec

from .found import Answer, Found
from .next_step import next_step
from .ranking import better
from .trust import Trust, TrustWord, trust_in
from .words import counted

_TRUSTED: dict[TrustWord, str] = {
    "as it is": "{} as they are",
    "corrected": "{} where labels correct their rates",
    "only on some": "{} on some outputs only",
    "not": "{} not at all",
}

_THE_JUDGE: dict[TrustWord, str] = {
    "as it is": "Trust the judge as it is.",
    "corrected": "Trust the judge where labels correct its rates.",
    "only on some": "Trust the judge on some outputs only.",
    "not": "Do not trust the judge.",
    "unknown": "Nobody knows yet how far the judge may be trusted.",
}
"""The same of the only one."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The three answers.

    Attributes:
        better: Which system is better?
        trust: May this judge be trusted, for what? One a judge; baselines are none.
        next: What next?
    """

    better: Answer
    trust: list[Trust]
    next: Answer

    @property
    def trusted(self) -> str:
        """How many judges may be trusted how far, in a sentence; empty where there is none."""
        if len(self.trust) == 1:
            return _THE_JUDGE[self.trust[0].word]
        counts = Counter(each.word for each in self.trust)
        told = [_TRUSTED[word].format(f"{counts[word]:,}") for word in _TRUSTED if counts[word]]
        judges, unknown = counted(len(self.trust), "judge"), counts["unknown"]
        if not told:
            return f"Nobody knows yet how far the {judges} may be trusted." if unknown else ""
        return (
            f"Of {judges} trust {', '.join(told)}{f'; of {unknown:,} nobody knows yet' if unknown else ''}."
        )


def answers(found: Found) -> Answers:
    """Answer the three questions.

    Args:
        found: What a run came to.

    Returns:
        The answers, by the rules of docs/report.md.
    """
    trust = list(trust_in(found))
    return Answers(better=better(found), trust=trust, next=next_step(found, trust))
