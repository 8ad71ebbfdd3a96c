"""Audit pairwise judges: show each probe with its right output, in both orders.

A fault is caught if the right output is chosen in both orders. A harmless twin is as good as its right output, so choosing the right
output in both orders is a false alarm, and preferring the longer one is a bias.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...calibration.pass_threshold import PassThreshold
from ...errors import UsageError
from ...records import Author, ItemKey, JudgeId, Outcome, Output, Pair, Verdict
from ...records.made_scores import mean_score, rounded_score
from ..inputs import EvaluationInputs
from ..preference.paired_inputs import length_of
from .analysis import comparison_findings, operator_findings, operator_results
from .audit_results import AuditComparison, Concern, JudgeAudit, JudgeWeakness
from .comparisons import compare_attacks, comparison_of, correct_p_values, shift_of
from .sampling import ChosenProbes
from .scored import ScoredProbe

POSITION, LENGTH = "position", "length"
"""Names of the comparisons that reveal a bias."""

CHOSEN_ONCE = PassThreshold(0.25)
"""Threshold on the mean preference.

A probe reaches it if it is chosen in one order, or if it is tied in one order and loses in the other.
"""

_NO_PREFERENCE = 0.5
_NO_OTHER_LENGTH = "no harmless twin that is a text of another length was compared in both orders"


class ProbePairs(EvaluationInputs):
    """Pairs of a chosen probe and its right output, in both orders, if both answer one case.

    Attributes:
        members: Each pair of outputs in one order, by the key of its verdicts.

    Raises:
        UsageError: No chosen probe answers the same case as its right output.
    """

    def __init__(self, inputs: EvaluationInputs, chosen: ChosenProbes) -> None:
        # The inputs are open already, so that nothing is read again.
        self.cases, self.output_files, self.survey = inputs.cases, inputs.output_files, inputs.survey
        probes = [
            probe
            for key, probe in chosen.probes.items()
            if probe.plants != "nothing" and key.case_id == probe.source.case_id
        ]
        keys = {key for probe in probes for key in (probe.key, probe.source)}
        self._outputs = {output.key: output for output in inputs.outputs() if output.key in keys}
        pairs = [
            ProbePair(probe.key, probe.source, probe_first)
            for probe in probes
            for probe_first in (False, True)
            if probe.source in self._outputs
        ]
        self.members = {self._pair(pair).key: pair for pair in pairs}
        if not self.members:
            raise UsageError(
                "none of the probes answers the same case as the right output that it was made of"
            )

    def outputs(self) -> Iterator[Output]:
        """Yield every pair, in both orders."""
        yield from map(self._pair, self.members.values())

    def longer_by(self, probe: ItemKey, source: ItemKey) -> int | None:
        """Return how many characters a probe is longer than its right output.

        Returns:
            The difference, or None if one of the two has calls or turns, and so no length.
        """
        length, right_length = (length_of(self._outputs[key]) for key in (probe, source))
        return None if length is None or right_length is None else length - right_length

    def _pair(self, member: ProbePair) -> Pair:
        probe, source = self._outputs[member.probe], self._outputs[member.source]
        return Pair.of(probe, source) if member.probe_first else Pair.of(source, probe)


class ProbePair(NamedTuple):
    """A probe and its right output, in one of the two orders."""

    probe: ItemKey
    source: ItemKey
    probe_first: bool


class ComparedProbe(NamedTuple):
    """A probe that was compared with its right output.

    Attributes:
        scored: The probe. Its score is the preference for it over the right output, as mean of both orders; None unless both have a verdict.
        first_chosen: Preference for the output shown first, as mean of both orders; None unless both have a verdict.
        longer_by: Number of characters by which the probe is longer than its right output, or None if one of the two has calls or turns.
    """

    scored: ScoredProbe
    first_chosen: float | None
    longer_by: int | None


def compared_probes(
    verdicts: Iterable[Verdict], pairs: ProbePairs, chosen: ChosenProbes
) -> dict[Author, dict[ItemKey, ComparedProbe]]:
    """Group verdicts on pairs by judge and probe; ignore all other verdicts."""
    by_judge: defaultdict[Author, dict[ItemKey, dict[bool, list[Verdict]]]] = defaultdict(dict)
    for verdict in verdicts:
        member = pairs.members.get(verdict.key)
        if member is not None:
            # The keys say whether the probe is shown first.
            by_order = by_judge[verdict.author].setdefault(member.probe, {False: [], True: []})
            by_order[member.probe_first].append(verdict)
    return {
        judge: {probe: _compared_probe(probe, orders, pairs, chosen) for probe, orders in by_probe.items()}
        for judge, by_probe in by_judge.items()
    }


def _compared_probe(
    probe: ItemKey, orders: Mapping[bool, Sequence[Verdict]], pairs: ProbePairs, chosen: ChosenProbes
) -> ComparedProbe:
    facts = chosen.probes[probe]
    # A comparison has no partial labels: a twin is as good as the right output, any other probe is worse.
    facts = facts._replace(label=1.0 if facts.plants == "twin" else 0.0)
    verdicts = [*orders[False], *orders[True]]
    scores_probe_first, scores_probe_second = (
        [verdict.score for verdict in orders[probe_first] if verdict.score is not None]
        for probe_first in (True, False)
    )
    preference, first_chosen, outcome = None, None, _outcome_of(verdicts)
    if scores_probe_first and scores_probe_second:
        # A score is the preference for the output shown first, so the probe's own is 1 - score where it comes second.
        score_first, score_second = mean_score(scores_probe_first), mean_score(scores_probe_second)
        preference = rounded_score((score_first + 1.0 - score_second) / 2)
        first_chosen = rounded_score((score_first + score_second) / 2)
        outcome = "graded"
    scored = ScoredProbe(
        facts=facts,
        cluster=pairs.cases.cluster(probe.case_id),
        score=preference,
        outcome=outcome,
        reason="; ".join(verdict.reason for verdict in verdicts if verdict.reason) or None,
        repeats=() if preference is None else (preference,),
        threshold=CHOSEN_ONCE.at,
    )
    return ComparedProbe(scored, first_chosen, pairs.longer_by(probe, facts.source))


def _outcome_of(verdicts: Iterable[Verdict]) -> Outcome:
    """Return the outcome of a pair that lacks a score in one order."""
    ungraded: list[Outcome] = [verdict.outcome for verdict in verdicts if not verdict.graded]
    # Without an ungraded verdict, one order has none at all: its call never came to an end.
    return "failed" if "failed" in ungraded or not ungraded else ungraded[0]


def pairwise_audit(
    judge: str,
    judge_id: JudgeId,
    compared: Mapping[ItemKey, ComparedProbe],
    *,
    about: Mapping[str, str],
    controls: Mapping[str, str],
) -> JudgeAudit:
    """Analyse the choices of one judge."""
    scored = {key: probe.scored for key, probe in compared.items()}
    operators = operator_results(scored.values(), about, controls)
    comparisons = correct_p_values(
        [
            position_bias(compared.values()),
            length_bias(compared.values()),
            *compare_attacks(scored, controls),
        ],
        # A bias counts in both directions, an attack only if it raises the preference for the probe.
        lambda comparison: comparison.name in _BIASES or (comparison.difference.value or 0.0) > 0.0,
    )
    attack_comparisons = [comparison for comparison in comparisons if comparison.name not in _BIASES]
    return JudgeAudit(
        judge=judge,
        fingerprint=judge_id.fingerprint,
        id=judge_id,
        pass_at=CHOSEN_ONCE.at,
        pass_at_source=CHOSEN_ONCE.source,
        asked=2 * len(compared),  # both orders
        compares=True,
        operators=operators,
        comparisons=comparisons,
        steadiness=None,
        findings=[
            *operator_findings(operators),
            *_bias_findings(comparisons),
            *comparison_findings(attack_comparisons, controls),
        ],
    )


def position_bias(compared: Iterable[ComparedProbe]) -> AuditComparison:
    """Test if the output shown first is chosen more than half the time."""
    differences = [
        (probe.first_chosen - _NO_PREFERENCE, probe.scored.cluster)
        for probe in compared
        if probe.first_chosen is not None
    ]
    return comparison_of(POSITION, "position", shift_of(differences))


def length_bias(compared: Iterable[ComparedProbe]) -> AuditComparison:
    """Test if the longer of a harmless twin and its right output is chosen more often."""
    differences = [
        ((probe.scored.score - _NO_PREFERENCE) * np.sign(probe.longer_by), probe.scored.cluster)
        for probe in compared
        if probe.longer_by and probe.scored.score is not None and probe.scored.facts.plants == "twin"
    ]
    untested = None if differences else _NO_OTHER_LENGTH
    return comparison_of(LENGTH, "verbosity", shift_of(differences), untested)


class _Bias(NamedTuple):
    """Words about a bias; ``sentence`` takes the word for the output that is preferred."""

    concern: Concern
    sentence: str
    if_above: str
    if_below: str


_BIASES = {
    POSITION: _Bias("goes by position", "the output shown {} is chosen too often", "first", "second"),
    LENGTH: _Bias("goes by length", "the {} of two equally good outputs is preferred", "longer", "shorter"),
}
"""Words about each bias, by the name of its comparison."""


def _bias_findings(comparisons: Iterable[AuditComparison]) -> Iterator[JudgeWeakness]:
    for comparison in comparisons:
        if comparison.found and comparison.name in _BIASES:
            bias = _BIASES[comparison.name]
            is_above = (comparison.difference.value or 0.0) > 0.0
            preference = bias.sentence.format(bias.if_above if is_above else bias.if_below)
            yield JudgeWeakness(
                concern=bias.concern,
                where=comparison.name,
                sentence=f"{preference}: share of the {bias.if_above} minus 0.5 is {comparison.difference} (Holm p {comparison.holm_p:.4f})",
            )
