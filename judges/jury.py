"""Juries: several opinions on one output, combined into one verdict.

`Jury` is the description of a jury: its rule, members and weights. `JuryJudge` asks the members, and `jury_verdict` combines
their opinions. An opinion is one verdict of a member.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from ..errors import UsageError
from ..records import Author, Case, ItemKey, JudgeId, Kind, Output, Verdict
from ..records.json_text import encode_json
from ..records.made_scores import mean_score, reaches
from ..spelling import setting, spelled_word
from .catalogue import takes_transcripts
from .composite import (
    CombinedOpinions,
    Composite,
    Deliberation,
    JudgeQuestion,
    PartOutcome,
    deliberate_together,
    deliberation_on,
    outcome_of_ungraded,
    rounds_of,
    unreadable_guess,
)
from .judge import JudgeDescription

Rule: TypeAlias = Literal["majority", "mean", "escalate"]

_MIN_OPINIONS = 2
_MAX_WEIGHT = 1e9
"""Largest weight, so that no sum overflows."""


class JuryMember(msgspec.Struct, frozen=True):
    """Member of a jury.

    Attributes:
        id: The judge.
        by: Its display name.
        pass_at: Pass threshold of its verdicts.
    """

    id: JudgeId
    by: str
    pass_at: float = 0.5


class Jury(msgspec.Struct, frozen=True, kw_only=True):
    """Members of a jury, and the rule that combines their opinions.

    Attributes:
        rule: ``majority``: pass or fail by majority; ``mean``: the mean score; ``escalate``: the first member's verdict if it
            is sure, else the second's.
        members: The judges; for ``escalate`` the cheap one, then the expensive one.
        weights: Weight of each member's opinions.
        repeats: Number of times that each member judges an output; each time it gives an opinion.
        unsure: Scores in this range, ends included, count as unsure; only for ``escalate``.
    """

    rule: Rule
    members: tuple[JuryMember, ...]
    weights: tuple[float, ...]
    repeats: int = 1
    unsure: tuple[float, float] = (0.2, 0.8)

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.members) or not all(
            0 < weight <= _MAX_WEIGHT for weight in self.weights
        ):
            numbers = "1 number" if len(self.members) == 1 else f"{len(self.members)} numbers"
            raise UsageError(
                f"{setting('weights')}: expected {numbers} above 0, one per judge, none above {_MAX_WEIGHT:g}"
            )
        if len({member.id for member in self.members}) < len(self.members):
            raise UsageError(
                f"a jury cannot have the same judge twice; use {setting('repeats')} to ask it several times"
            )
        if self.rule == "escalate" and len(self.members) != _MIN_OPINIONS:
            raise UsageError(
                f"{spelled_word('jury', 'escalate')} takes two judges: the cheap one, then the expensive one"
            )
        if self.rule == "escalate" and set(self.weights) != {1.0}:
            raise UsageError(
                f"{setting('weights')}: not used by {spelled_word('jury', 'escalate')}, since only one judge's verdict counts"
            )
        if len(self.members) * self.repeats < _MIN_OPINIONS:
            raise UsageError(f"{setting('jury')} needs two judges, or {setting('repeats')}")

    @property
    def by(self) -> str:
        """Name that signs its verdicts.

        Examples: ``jury/majority@a+b``, ``jury/mean@2*a+b``, ``jury/majority-of-5@a``.
        """
        members = (
            member.by if weight == 1 else f"{weight:g}*{member.by}"
            for member, weight in zip(self.members, self.weights, strict=True)
        )
        return f"jury/{self._rule_label}@{'+'.join(members)}"

    @property
    def _rule_label(self) -> str:
        return f"{self.rule}-of-{self.repeats}" if self.repeats > 1 else self.rule

    @property
    def id(self) -> JudgeId:
        """Identity of the jury, which does not depend on its members' display names."""
        fingerprinted = {
            **msgspec.to_builtins(self),
            "members": [(member.id, member.pass_at) for member in self.members],
        }
        fingerprint = hashlib.sha256(encode_json(fingerprinted)).hexdigest()
        return JudgeId(kind="jury", name="jury", variant=self._rule_label, fingerprint=fingerprint)


@dataclass(frozen=True)
class JuryJudge(Composite):
    """Jury of several judges, or of one judge asked several times, with one verdict.

    Attributes:
        jury: The jury's rule and members.
        members: The judges, in the order of the jury's members.
    """

    jury: Jury
    members: tuple[JudgeDescription, ...]

    @property
    def id(self) -> JudgeId:
        """See `Judge`."""
        return self.jury.id

    @property
    def by(self) -> str:
        """See `Judge`."""
        return self.shown_as or self.jury.by

    @property
    def kinds(self) -> frozenset[Kind] | None:
        """Kinds that some member judges; for ``escalate``, those of the first member."""
        kinds: set[Kind] = set()
        members_that_count = self.members[:1] if self.jury.rule == "escalate" else self.members
        for member in members_that_count:
            if member.kinds is None:
                return None
            kinds.update(member.kinds)
        return frozenset(kinds)

    @property
    def pass_at(self) -> None:
        """See `Judge`: a jury declares no threshold."""

    @property
    def rounds(self) -> int:
        """See `Composite`."""
        rounds = map(rounds_of, self.members)
        return sum(rounds) if self.jury.rule == "escalate" else max(rounds)

    def deliberate(self, case: Case, output: Output, repeat: int = 0) -> Deliberation:
        """Ask the members, and combine their opinions; see `Composite`."""
        n_first_round = 1 if self.jury.rule == "escalate" else len(self.members)
        verdicts = yield from deliberate_together(
            map(deliberation_on, self._questions(self.members[:n_first_round], case, output))
        )
        if n_first_round < len(self.members) and is_unsure(self.jury, verdicts):
            verdicts += yield from deliberate_together(
                map(deliberation_on, self._questions(self.members[n_first_round:], case, output))
            )
        verdict = jury_verdict(self.jury, output.key, verdicts)
        return msgspec.structs.replace(verdict, by=self.by, repeat=repeat)

    def _questions(
        self, members: Sequence[JudgeDescription], case: Case, output: Output
    ) -> list[JudgeQuestion]:
        return [
            JudgeQuestion(member, case, output, repeat, unreadable_guess(output))
            for member in members
            if _takes(member, case.kind, output)
            for repeat in range(member.id.times_asked(self.jury.repeats))
        ]


def _takes(judge: JudgeDescription, kind: Kind, output: Output) -> bool:
    grades_kind = judge.kinds is None or kind in judge.kinds
    return grades_kind or (output.turns is not None and takes_transcripts(judge.id))


def _probability_or_score(verdict: Verdict) -> float | None:
    """Return the probability of a pass, from log-probabilities, or the score if it is unknown."""
    probability = verdict.evidence.get("probability")
    return verdict.score if probability is None else probability


def is_unsure(jury: Jury, opinions: Sequence[Verdict]) -> bool:
    """Return whether the cheap judge's opinions are so unsure that the expensive one is asked.

    They are unsure if one has no score, if a score lies in the unsure range, or if repeats disagree. They are not unsure after a
    failed call, which the next run retries, or if the cheap judge does not grade such a case.
    """
    if any(opinion.outcome in {"failed", "not_applicable"} for opinion in opinions):
        return False
    low, high = jury.unsure
    scores = [_probability_or_score(opinion) for opinion in opinions]
    if any(score is None or low <= score <= high for score in scores):
        return True
    threshold = jury.members[0].pass_at
    decisions = {opinion.score is not None and reaches(opinion.score, threshold) for opinion in opinions}
    return len(decisions) > 1


def jury_verdict(jury: Jury, item: ItemKey, opinions: Sequence[Verdict]) -> Verdict:
    """Combine the opinions on one output; the evidence lists them by member.

    Only opinions with a score count, and they need more than half of the weight. A tie is `undecided`. If a call failed, the
    verdict is `failed`: the next run retries the call, and a jury's verdict must not depend on when it was asked.
    """
    outcome, score, reason = _combined(jury, _deciding_opinions(jury, opinions))
    names: dict[Author, str] = {member.id: member.by for member in jury.members}
    rows = [
        {"by": names[opinion.author], "outcome": opinion.outcome}
        | ({} if opinion.score is None else {"score": opinion.score})
        for opinion in opinions
    ]
    evidence: dict[str, Any] = {"opinions": rows}
    if jury.rule == "escalate":
        evidence["escalated"] = any(opinion.author == jury.members[1].id for opinion in opinions)
    return Verdict.on(
        item,
        by=jury.by,
        judge=jury.id,
        source="judge",
        outcome=outcome,
        score=score,
        reason=reason,
        evidence=evidence,
    )


def _deciding_opinions(jury: Jury, opinions: Sequence[Verdict]) -> Sequence[Verdict]:
    """Return the opinions that count: for ``escalate`` those of one member."""
    if jury.rule != "escalate":
        return opinions
    cheap = [opinion for opinion in opinions if opinion.author == jury.members[0].id]
    expensive = [opinion for opinion in opinions if opinion.author == jury.members[1].id]
    # The expensive member may not judge this kind of case.
    return expensive if expensive and is_unsure(jury, cheap) else cheap


def _no_score_reason(jury: Jury, opinions: Sequence[Verdict]) -> str:
    readable = (
        "a readable score" if any(opinion.outcome == "unparsable" for opinion in opinions) else "a score"
    )
    nobody = {1: "no repeat", 2: "neither judge"}.get(len(jury.members), "no judge")
    return f"{nobody} gave {readable}"


def _combined(jury: Jury, opinions: Sequence[Verdict]) -> CombinedOpinions:
    weights: dict[Author, float] = {
        member.id: 1.0 if jury.rule == "escalate" else weight
        for member, weight in zip(jury.members, jury.weights, strict=True)
    }
    if not opinions:
        return CombinedOpinions("not_applicable", None, "no member judges such a case")
    scores = [(opinion.author, opinion.score) for opinion in opinions if opinion.score is not None]
    # "1 of 3 opinions has a score", but "1 of 1 opinions have a score".
    have = "has" if len(scores) == 1 < len(opinions) else "have"
    coverage = f"{len(scores)} of {len(opinions)} opinions {have} a score"
    failed = sum(opinion.outcome == "failed" for opinion in opinions)
    if failed:
        reason = "the call failed" if len(opinions) == 1 else f"{failed} of {len(opinions)} calls failed"
        return CombinedOpinions("failed", None, reason)
    total_weight = sum(weights[opinion.author] for opinion in opinions)
    scored_weight = sum(weights[member] for member, _ in scores)
    # Half of the weight is not enough, even if rounding makes it a little more than half.
    if 2 * scored_weight <= total_weight or _is_close(2 * scored_weight, total_weight):
        ungraded = (
            PartOutcome(opinion.outcome, opinion.reason) for opinion in opinions if opinion.score is None
        )
        reason = f"only {coverage}" if scores else _no_score_reason(jury, opinions)
        return CombinedOpinions(outcome_of_ungraded(ungraded)[0], None, reason)
    if jury.rule != "majority":
        mean = mean_score([score for _, score in scores], [weights[member] for member, _ in scores])
        return CombinedOpinions("graded", mean, coverage)
    thresholds: dict[Author, float] = {member.id: member.pass_at for member in jury.members}
    passed_weight = sum(weights[member] for member, score in scores if reaches(score, thresholds[member]))
    if _is_close(2 * passed_weight, scored_weight):
        return CombinedOpinions("undecided", None, f"{coverage}, and they are tied")
    reason = f"{passed_weight:g} of {scored_weight:g} for a pass; {coverage}"
    return CombinedOpinions("graded", float(2 * passed_weight > scored_weight), reason)


def _is_close(weight: float, other: float) -> bool:
    """Return whether two sums of weights are equal up to rounding: 0.1 + 0.2 equals 0.3."""
    return math.isclose(weight, other, rel_tol=1e-9)
