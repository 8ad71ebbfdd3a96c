"""First answers by the rules of docs/report.md: best system, judge verdicts, next step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..evaluation.conclusion.run_results import ALL_CORRECTED
from ..evaluation.conclusion.run_summary import RunSummary
from .next_step import next_step
from .ranking import Answer, better
from .text.judges_text import Trust, control_in, trust_in

_CHECKED = "proven on checked outputs"

_VERBS: dict[str, tuple[str, str]] = {
    "proven": ("is proven", "are proven"),
    _CHECKED: (
        "is proven on checked outputs, untested on the others",
        "are proven on checked outputs, untested on the others",
    ),
    "too few labels": ("has too few labels to tell", "have too few labels to tell"),
    "biased": ("is biased", "are biased"),
    "no better than chance": ("is no better than chance", "are no better than chance"),
    "no labels": ("has no labels", "have no labels"),
}
"""Each verdict of one judge, and of several."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The three answers.

    Attributes:
        better: Which system is best, or how good the only one is.
        trust: A verdict for each judge, baselines left out.
        next: What to do next.
        corrected: Whether the rates of judged outputs are corrected with labels.
        control: The verdict on a baseline beside the judges, which reads nothing.
    """

    better: Answer
    trust: list[Trust]
    next: Answer
    corrected: bool = False
    control: Trust | None = None

    @property
    def trusted(self) -> str:
        """The verdicts on the judges in a sentence; empty where there is none."""
        return verdicts_sentence(
            self.trust, biased=" (corrected with your labels)" if self.corrected else " (uncorrected)"
        )


def verdicts_sentence(trust: Sequence[Trust], *, biased: str = "") -> str:
    """Count the verdicts on judges in a sentence; empty where there is none.

    ``biased`` stands behind those that are: what becomes of their rates.
    """
    counts = Counter(_CHECKED if _is_checked(each) else each.word for each in trust)
    if not counts:
        return ""
    if counts == {"no labels": 1}:
        return "This judge is untested: there are no labels."
    told: list[str] = []
    for word, (one, several) in _VERBS.items():
        if count := counts[word]:
            who = "" if told else " of 1 judge" if len(trust) == 1 else f" of {len(trust):,} judges"
            told.append(
                f"{count:,}{who} {one if count == 1 else several}{biased if word == 'biased' else ''}"
            )
    text = "; ".join(told)
    return f"{text.replace('1 of 1 judge', 'The judge', 1) if len(trust) == 1 else text}."


def _is_checked(each: Trust) -> bool:
    return each.word == "proven" and each.checked_only


def answers(found: RunSummary) -> Answers:
    """Answer the three questions.

    Args:
        found: What a run came to.

    Returns:
        The answers, by the rules of docs/report.md.
    """
    trust = list(trust_in(found))
    overall = [system.overall for system in found.systems if system.overall is not None]
    corrected = bool(overall) and any(each.name == ALL_CORRECTED for each in overall)
    return Answers(
        better=better(found),
        trust=trust,
        next=next_step(found, trust),
        corrected=corrected,
        control=control_in(found),
    )
