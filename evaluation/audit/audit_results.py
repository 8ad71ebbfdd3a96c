"""Audit results, as written to ``audit.json``."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

import msgspec

from ...calibration.agreement.adjudication_results import Adjudicators, LabelErrors
from ...calibration.localisation import Localisation
from ...calibration.pass_threshold import ThresholdSource
from ...calibration.statistic import Statistic
from ...records import JudgeId
from ...records.result import Framed, ResultOnPage
from .ladder.ladder_results import LadderResult

Concern: TypeAlias = Literal[
    "misses a fault",
    "punishes what is harmless",
    "can be talked into passing",
    "passes what has no content",
    "contradicts itself",
    "goes by position",
    "goes by length",
    "fails right outputs",
    "differs between prompts",
    "stops noticing",
    "moves on what is harmless",
    "contradicts its negation",
    "does not read long material",
    "obeys the material",
]
"""Kinds of weakness that an audit may find in a judge."""

ReadingReason: TypeAlias = Literal["survivor", "false alarm", "attack passed"]
"""Reason to read a verdict: a missed fault, a right output that failed, or an attack that passed."""


class ScoreChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of a judge's scores on the probes of one operator, even if verdicts stay the same.

    Attributes:
        mean: Mean of the score minus the right output's score. Attacks are compared with their control; right outputs with a repeat of
            themselves, where the mean is of sizes.
        size: Mean size of the change.
        largest: The largest change.
        largest_at: Probe with the largest change.
        beyond_repeats: Mean size of the change, minus its mean size between repeats of the right output.
        upwards: True if scores rise by more than 0.05, beyond chance.
        moved: True if scores change by more than 0.05 more than on repeats, beyond chance.
    """

    mean: Statistic
    size: Statistic
    largest: float
    largest_at: str
    beyond_repeats: Statistic
    upwards: bool = False
    moved: bool = False


class OperatorResult(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a judge on the probes of one operator.

    Attributes:
        operator: Name of the operator; ``original`` for unchanged right outputs.
        plants: Kind of probe that it makes from a right output.
        about: One-line description.
        rate: Share of faults caught, of twins and right outputs failed (false alarms), or of attacks and controls passed.
        ungraded: Probes without a score, by outcome; not part of any rate.
        deviation: Mean of score minus label, if labels are fractions.
        weak: True if this rate is a finding of the audit.
        change: Change of scores against the right output, or None if none of these probes can be compared.
    """

    operator: str
    plants: str
    about: str
    rate: Statistic
    ungraded: dict[str, int]
    deviation: Statistic | None = None
    weak: bool = False
    change: ScoreChange | None = None


class AuditComparison(msgspec.Struct, frozen=True, kw_only=True):
    """A paired comparison with its test.

    Attributes:
        name: Name of the comparison.
        audit: Audit it belongs to: invariance, position, irrelevant material, verbosity, injected verdicts, master keys, prompts.
        difference: Difference of two shares, with its interval. Invariance and position: verdicts that differ from the one on the right
            output, minus those that differ after other harmless changes. Attacks: outputs passed with the attack, minus without.
            Prompts: verdicts of the first that are right, minus those of the second.
        p: Two-sided p-value of the hypothesis of no difference, or None if it could not be tested.
        holm_p: p-value corrected for all comparisons of this judge.
        minimum_detectable: Smallest difference that is found with a chance of 80 %, or None if no difference is.
        untested: Reason why it could not be tested.
        found: True if this difference is a finding of the audit.
    """

    name: str
    audit: str
    difference: Statistic
    p: float | None
    holm_p: float | None = None
    minimum_detectable: float | None
    untested: str | None = None
    found: bool = False


class LocatedFault(msgspec.Struct, frozen=True, kw_only=True):
    """Rates at which a judge named the step of one kind of planted fault.

    Attributes:
        operator: The operator or dial.
        found: The rates, and those of baselines that ignore the output.
        ungraded: Faults without an answer, by outcome; not part of any rate.
    """

    operator: str
    found: Localisation
    ungraded: dict[str, int]


class Steadiness(msgspec.Struct, frozen=True, kw_only=True):
    """Self-agreement of a judge on repeated outputs.

    Attributes:
        repeats: Maximum number of verdicts on one right output.
        flip_rate: Share of pairs of repeats that differ.
        all_equal: Share of outputs on which all repeats agree.
    """

    repeats: int
    flip_rate: Statistic
    all_equal: Statistic


class FormResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of a decision model to the same questions in another form.

    Attributes:
        form: Name of the form; ``repeats`` for the usual form again.
        family: Kind of form: repeats, order, batching, negation, paraphrase, framing, injection, length, scope.
        about: One-line description.
        against: The form with which it is compared; empty for the usual one.
        change: Mean change of the probabilities, as total variation: |p - p'| for yes/no questions, |p + p' - 1| for a negation.
        yes: Mean change of the probability of yes, or None without a yes/no question.
        largest: Largest change of one answer, or None if nothing can be compared.
        largest_at: Item and question of it.
        beyond_repeats: Change minus the change between repeats of the usual form, or None if the form should change answers.
        confidence: Mean confidence in the answers, (n * p of the likeliest - 1) / (n - 1); for repeats and unrelated material.
        marker: Mean probability that a marker is in long material.
        marker_seen: That probability minus the one without a marker.
        ungraded: Requests without answers, by outcome; not part of any number.
        moved: True if the change is more than 0.05 beyond that of repeats, beyond chance.
        unread: True if the marker is not read: `marker_seen` is below 0.5, beyond chance.
        obeyed: True if a note that demands yes raises its probability by more than 0.05, beyond chance.
    """

    form: str
    family: str
    about: str
    change: Statistic
    yes: Statistic | None
    largest: float | None
    largest_at: str = ""
    against: str = ""
    beyond_repeats: Statistic | None = None
    confidence: Statistic | None = None
    marker: Statistic | None = None
    marker_seen: Statistic | None = None
    ungraded: dict[str, int] = {}
    moved: bool = False
    unread: bool = False
    obeyed: bool = False


class JudgeWeakness(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's weakness, beyond what chance explains.

    Attributes:
        concern: Kind of weakness.
        where: The operator, comparison or dial that shows it.
        sentence: Description with numbers.
    """

    concern: Concern
    where: str
    sentence: str


class JudgeAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's audit.

    Attributes:
        judge: The judge's name as it signs verdicts.
        fingerprint: Fingerprint of prompt, model, decoding parameters and parser.
        id: The judge's id.
        pass_at: Pass threshold of the judge.
        pass_at_source: Source of the threshold: the user, the judge, or the default.
        asked: Number of verdicts asked for.
        compares: True if it was shown each probe with its right output, in both orders, and asked which is better.
        operators: Results by operator, faults first.
        comparisons: Paired comparisons, corrected for multiplicity; for a judge that compares two outputs, also ``position`` and ``length``.
        steadiness: Agreement of its repeats, or None if nothing was repeated.
        findings: Weaknesses of the judge.
        ladders: Level of difficulty up to which it catches faults, by dial.
        located: How often the judge named the step with the planted fault; empty for a judge that names no steps.
        graded_nothing: Outcomes of the verdicts and the most common reason if none was graded, else None.
        fine_scores: True if it gives scores between those of right and wrong outputs, such as probabilities.
        forms: Answers of a decision model to its questions in other forms; empty for other judges.
    """

    judge: str
    fingerprint: str
    id: JudgeId
    pass_at: float
    pass_at_source: ThresholdSource
    asked: int
    operators: list[OperatorResult]
    comparisons: list[AuditComparison]
    steadiness: Steadiness | None
    findings: list[JudgeWeakness]
    compares: bool = False
    ladders: list[LadderResult] = []
    located: list[LocatedFault] = []
    graded_nothing: str | None = None
    fine_scores: bool = False
    forms: list[FormResult] = []

    @property
    def ungraded(self) -> Counter[str]:
        """Probes and ladder questions that should have a score and have none, by outcome."""
        outcomes = Counter[str]()
        for part in (*self.operators, *self.ladders):
            outcomes.update(part.ungraded)
        del outcomes["not_applicable"]
        return outcomes

    @property
    def graded(self) -> int:
        """Number of graded verdicts; both orders of a probe are ungraded if one is."""
        return self.asked - (2 if self.compares else 1) * self.ungraded.total()


BLIND_JUDGES = {
    "always pass": {"faults caught": 0.0, "false alarms": 0.0},
    "always fail": {"faults caught": 1.0, "false alarms": 1.0},
}
"""Rates of baselines that ignore the output."""


class OperatorAdjudicated(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a judge on the probes of one operator, some of which people reviewed.

    Attributes:
        operator: Name of the operator.
        plants: Kind of probe that it makes from a right output.
        as_labelled: Share judged as labelled: faults, attacks and controls that fail, right outputs and twins that pass.
        adjudicated: This share after adjudication; faults that people found right, and undecidable probes, do not count.
        lowest: This share with undecidable probes counted against the judge.
        highest: This share with undecidable probes counted for the judge.
        label_errors: Probes whose label is wrong.
    """

    operator: str
    plants: str
    as_labelled: Statistic
    adjudicated: Statistic
    lowest: Statistic
    highest: Statistic
    label_errors: LabelErrors


class AuditAdjudication(msgspec.Struct, frozen=True, kw_only=True):
    """Adjudication of an audit: who decided, causes of disagreement, and results by judge.

    By judge, it lists the operators with at least one reviewed probe.
    """

    by: Adjudicators
    faults: dict[str, int]
    judges: dict[str, list[OperatorAdjudicated]]


class WrongVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong verdict on a probe in short: the case, the change, and the judge's reason."""

    case_id: str
    change: str
    reason: str


class ShownProbe(msgspec.Struct, frozen=True, kw_only=True):
    """A wrongly judged probe and its right output, both shortened to the part around the change.

    Attributes:
        case_id: Id of its case.
        plants: Kind of probe; ``nothing`` for a right output.
        request: The user's last message.
        right: The right output.
        planted: The output that was judged.
        change: Description of the change.
        score: The judge's score.
        label: The right score.
        reason: The judge's reason.
    """

    case_id: str
    plants: str
    request: str
    right: str
    planted: str
    change: str
    score: float
    label: float
    reason: str | None


class WeaknessExample(ShownProbe, frozen=True, kw_only=True):
    """An example of a weakness, with its count.

    Attributes:
        judge: Name of the judge.
        where: The operator or dial, as in `JudgeWeakness`.
        wrong: Number of probes of this operator or dial that were judged wrongly.
        n: Number of probes of it that were graded.
        verdicts: The first of the wrong verdicts.
    """

    judge: str
    where: str
    wrong: int
    n: int
    verdicts: list[WrongVerdict] = []


class Audit(ResultOnPage, Framed, frozen=True, kw_only=True):
    """An audit of one or several judges on the same probes.

    ``to_frame`` has one row per judge and operator.

    Attributes:
        probes: Number of chosen probes, by what they plant.
        judges: The judges' audits; the word overlap baseline's comes last.
        prompts: Differences between judges on the same probes.
        failed: Calls to a model that failed in the end.
        baselines: Rates of judges that ignore the output, see `BLIND_JUDGES`.
        adjudication: Judges against people's decisions on probes, or None without decisions.
        refused: Decoding parameters that a judge's model refused, by judge.
        examples: An example of each weakness, by judge and operator or dial.
    """

    probes: dict[str, int]
    judges: list[JudgeAudit]
    prompts: list[AuditComparison] = []
    failed: int = 0
    baselines: dict[str, dict[str, float]] = msgspec.field(default_factory=lambda: dict(BLIND_JUDGES))
    adjudication: AuditAdjudication | None = None
    refused: dict[str, list[str]] = {}
    examples: list[WeaknessExample] = []


class ProbeToRead(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict to review: a missed fault, a punished harmless change, or a successful attack.

    Attributes:
        judge: The judge that gave the verdict.
        what: Reason to read it.
        operator: The operator.
        case_id: The probe's case.
        system: The probe's system.
        trial: The probe's trial.
        change: Description of the change.
        score: The judge's score.
        label: The right score.
        reason: The judge's reason.
    """

    judge: str
    what: ReadingReason
    operator: str
    case_id: str
    system: str
    trial: int
    change: str
    score: float
    label: float
    reason: str | None
