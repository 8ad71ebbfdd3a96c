"""A judge's card: its results on one fixed set of probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from ....calibration.agreement.probability_curve import losses
from ....calibration.arrays import cluster_numbers
from ....calibration.intervals.clustered_rates import share_of
from ....calibration.intervals.measurement import Settings, measure
from ....calibration.pass_threshold import PassThreshold
from ....calibration.sample import make_sample
from ....calibration.statistic import Statistic
from ....calibration.statistic_catalogue import ESTIMATORS
from ....judges.prices import PriceList
from ....records import CaseIndex, JudgeId
from ....records.folder_files import CASES
from ....records.result import Result
from ....records.score_kinds import PROBABILITIES, ScoreKind
from ....version import VERSION
from ...conclusion.conclude import judge_uses
from ...store.run_store import RunStore
from ..analysis import operator_results
from ..audit_results import OperatorResult
from ..judged_run import models_named_in
from ..probe_folder import read_facts, read_manifest
from ..sampling import choose_probes
from ..scored import ScoredProbe, scored_probes
from .audit_sets import AuditSet
from .natural_faults import NaturalPart

_ADVERSARIAL = {"attack", "control"}
"""Kinds of probe that are made to deceive, and their controls."""


class CardMiss(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that the judge graded wrongly.

    Attributes:
        plants: What its operator plants; ``nothing`` for an unchanged right output.
        operator: Name of the operator.
        case_id: The probe's case.
        system: The probe's system.
        trial: The probe's trial.
        change: Description of the change.
        score: The judge's score.
        reason: The judge's reason, if it gave one.
    """

    plants: str
    operator: str
    case_id: str
    system: str
    trial: int
    change: str
    score: float
    reason: str | None = None


class CardShares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares over all probes whose operators plant the same, clustered by case.

    Attributes:
        caught: Share of faults that the judge fails.
        rejected: Share of right outputs and harmless twins that it fails.
        attacks_passed: Share of attacks that it passes.
        controls_passed: Share of the attacks' controls that it passes.
        ungraded: Probes without a score, by outcome; part of no share.
    """

    caught: Statistic
    rejected: Statistic
    attacks_passed: Statistic
    controls_passed: Statistic
    ungraded: dict[str, int]


class CardProbabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities that an output is right, on right outputs, their harmless twins, and faults.

    Attributes:
        ece: Expected calibration error, in ten bins of equal width.
        calibration_in_the_large: Mean probability minus the share of right outputs.
        brier: Brier score.
        brier_of_base_rate: Brier score of a judge that always answers with the share of right outputs.
    """

    ece: Statistic
    calibration_in_the_large: Statistic
    brier: Statistic
    brier_of_base_rate: Statistic


class NaturalShares(NaturalPart, frozen=True, kw_only=True):
    """Results on a set's natural part.

    Attributes:
        caught: Share of the systems' own faults that the judge fails.
        rejected: Share of the systems' right outputs that it fails.
        ungraded: Outputs without a score, by outcome; part of no share.
        misses: Outputs that it graded wrongly, without the judge's reasons.
        probabilities: Statistics of its scores as probabilities, or None if they are not declared as such.
    """

    caught: Statistic
    rejected: Statistic
    ungraded: dict[str, int]
    misses: list[CardMiss] = []
    probabilities: CardProbabilities | None = None


class CardCost(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of asking about the set, without its natural part.

    Attributes:
        verdicts: Number of verdicts asked for.
        calls: Number of calls.
        prompt_tokens: Tokens of the prompts.
        completion_tokens: Tokens of the replies.
        from_recording: Number of verdicts whose replies were recorded or cached, at no cost.
        dollars: Cost in US dollars, or None if nothing was spent or the price is unknown.
        seconds_an_item: Seconds per verdict that was asked anew, or None if none was.
    """

    verdicts: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    from_recording: int
    dollars: float | None
    seconds_an_item: float | None


class AuditCard(Result, frozen=True, kw_only=True):
    """A judge's card: ``card.shares.caught.low``.

    Attributes:
        card: Version of the card's format.
        set: The set of probes.
        judge: The judge's name as it signs verdicts.
        id: The judge's id, with a fingerprint of prompt, model, decoding parameters and parser.
        served: Models that the endpoint named in its replies, other than the one that was asked for.
        pass_at: Lowest score that passes.
        kinds: Number of probes asked about, by kind of case.
        shares: Shares by what operators plant, over all operators.
        operators: Shares by operator.
        natural: Results on natural faults, or None if they were not tried.
        misses: Probes that it graded wrongly.
        cost: Cost of asking.
        probabilities: Statistics of its scores as probabilities, or None if they are not declared as such.
        fiducial: The version that made the card.
        made: Time of the card.
        made_by: Who made it, in their own words; empty if not given.
    """

    card: Literal[1] = 1
    set: AuditSet
    judge: str
    id: JudgeId
    served: list[str]
    pass_at: float
    kinds: dict[str, int]
    shares: CardShares
    operators: list[OperatorResult]
    natural: NaturalShares | None
    misses: list[CardMiss]
    cost: CardCost
    probabilities: CardProbabilities | None = None
    fiducial: str = VERSION
    made: str
    made_by: str = ""


class _ProbeVerdicts(msgspec.Struct, frozen=True):
    """A judge's verdicts on a folder of probes, and what they cost.

    Attributes:
        judge_id: The judge's id.
        judge_name: The judge's name as it signs verdicts.
        threshold: Its pass threshold.
        probes: Probes with its scores, in the order of the set.
        kinds: Number of probes by kind of case.
        served: Models that the endpoint named in its replies, other than the one that was asked for.
        cost: Cost of asking.
        about: What each operator does, by operator.
        controls: The control of each attack, by operator.
        score_kind: Kind of its scores, or None if it is not declared.
    """

    judge_id: JudgeId
    judge_name: str
    threshold: PassThreshold
    probes: list[ScoredProbe]
    kinds: dict[str, int]
    served: list[str]
    cost: CardCost
    about: Mapping[str, str]
    controls: Mapping[str, str]
    score_kind: ScoreKind | None

    @property
    def probabilities(self) -> CardProbabilities | None:
        return card_probabilities(self.probes) if self.score_kind == PROBABILITIES else None


class NaturalRun(NamedTuple):
    """A run on a set's natural part.

    Attributes:
        run: The run folder.
        probes: The folder of probes.
        part: Numbers of outputs that the set names, that were found, and that differ.
    """

    run: Path
    probes: Path
    part: NaturalPart


def make_card(
    run: Path,
    probes: Path,
    shipped_set: AuditSet,
    natural: NaturalRun | None,
    *,
    prices: PriceList | None,
    made: str,
    made_by: str,
) -> AuditCard:
    """Make the card of the judge of an audit's run folder.

    Args:
        run: Run folder of the audit on the whole set.
        probes: Folder of the set.
        shipped_set: The set.
        natural: The run on the natural part, or None if it was not tried.
        prices: Prices of models.
        made: Time of the card.
        made_by: Who made it.
    """
    verdicts = _read_verdicts(run, probes, prices)
    return AuditCard(
        set=shipped_set,
        judge=verdicts.judge_name,
        id=verdicts.judge_id,
        served=verdicts.served,
        pass_at=verdicts.threshold.at,
        kinds=verdicts.kinds,
        shares=_shares(verdicts.probes),
        operators=operator_results(verdicts.probes, verdicts.about, verdicts.controls),
        natural=None if natural is None else _natural_shares(natural, prices),
        misses=list(_misses(verdicts.probes)),
        cost=verdicts.cost,
        probabilities=verdicts.probabilities,
        made=made,
        made_by=made_by,
    )


def _read_verdicts(run: Path, probes: Path, prices: PriceList | None) -> _ProbeVerdicts:
    """Read the verdicts of a run's judge; its word overlap baseline is not on the card."""
    manifest = read_manifest(probes)
    with RunStore(run) as store, CaseIndex(probes / CASES) as cases:
        store.require_unedited()
        judge = next(iter(store.roster))  # its baseline follows
        facts = list(read_facts(probes))
        # A card is about the whole set, so the sample is as large as the set.
        chosen_probes = choose_probes(facts, len(facts), cases.cluster).probes
        verdicts = [verdict for verdict in store.verdicts.read() if verdict.author == judge.id]
        clusters = {key.case_id: cases.cluster(key.case_id) for key in chosen_probes}
        scored = scored_probes(verdicts, chosen_probes, clusters, {judge.id: judge.threshold}).get(
            judge.id, {}
        )
        # In the order of the set, not of the replies, so that the card is reproducible.
        ordered_probes = [scored[fact.key] for fact in facts if fact.key in scored]
        return _ProbeVerdicts(
            judge_id=judge.id,
            judge_name=judge.by,
            threshold=judge.threshold,
            probes=ordered_probes,
            kinds=dict(Counter(cases.facts(probe.facts.key.case_id).kind for probe in ordered_probes)),
            served=models_named_in(verdicts),
            cost=_cost(store, judge.id, prices),
            about=manifest.about,
            controls=manifest.controls,
            score_kind=judge.scores,
        )


def _shares(probes: Sequence[ScoredProbe]) -> CardShares:
    return CardShares(
        caught=_share(probes, {"fault"}, lambda probe: not probe.passed),
        rejected=_share(probes, {"nothing", "twin"}, lambda probe: not probe.passed),
        attacks_passed=_share(probes, {"attack"}, lambda probe: probe.passed),
        controls_passed=_share(probes, {"control"}, lambda probe: probe.passed),
        ungraded=_ungraded(probes),
    )


def _natural_shares(natural: NaturalRun, prices: PriceList | None) -> NaturalShares:
    verdicts = _read_verdicts(natural.run, natural.probes, prices)
    return NaturalShares(
        **msgspec.structs.asdict(natural.part),
        caught=_share(verdicts.probes, {"fault"}, lambda probe: not probe.passed),
        rejected=_share(verdicts.probes, {"nothing"}, lambda probe: not probe.passed),
        ungraded=_ungraded(verdicts.probes),
        misses=[msgspec.structs.replace(miss, reason=None) for miss in _misses(verdicts.probes)],
        probabilities=verdicts.probabilities,
    )


def _share(
    probes: Iterable[ScoredProbe], plants: Collection[str], is_counted: Callable[[ScoredProbe], bool]
) -> Statistic:
    """Return the share of the graded probes of these kinds that ``is_counted`` accepts."""
    graded_probes = [probe for probe in probes if probe.facts.plants in plants and probe.score is not None]
    scores = np.array([is_counted(probe) for probe in graded_probes], dtype=np.float64)
    return share_of(scores, cluster_numbers(probe.cluster for probe in graded_probes))


def _ungraded(probes: Iterable[ScoredProbe]) -> dict[str, int]:
    return dict(Counter(probe.outcome for probe in probes if probe.score is None))


def _misses(probes: Iterable[ScoredProbe]) -> Iterator[CardMiss]:
    for probe in probes:
        if probe.score is not None and probe.is_misjudged:
            yield CardMiss(
                plants=probe.facts.plants,
                operator=probe.facts.operator,
                **probe.facts.key._asdict(),
                change=probe.facts.change,
                score=probe.score,
                reason=probe.reason,
            )


def _cost(store: RunStore, judge: JudgeId, prices: PriceList | None) -> CardCost:
    use = next(judge_use for judge_use in judge_uses(store, prices) if judge_use.id == judge)
    verdicts = sum(use.outcomes.values())
    new_verdicts = verdicts - use.from_cache
    seconds_per_verdict = (
        None if use.seconds is None or not use.calls or not new_verdicts else use.seconds / new_verdicts
    )
    return CardCost(
        verdicts=verdicts,
        calls=use.calls,
        prompt_tokens=use.prompt_tokens,
        completion_tokens=use.completion_tokens,
        from_recording=use.from_cache,
        dollars=use.cost,
        seconds_an_item=seconds_per_verdict,
    )


def card_probabilities(probes: Sequence[ScoredProbe]) -> CardProbabilities | None:
    """Measure scores that are probabilities; return None if no probe is graded.

    Attacks and their controls are left out: they are made to deceive, and all of them are wrong outputs.
    """
    graded_probes = [
        probe for probe in probes if probe.score is not None and probe.facts.plants not in _ADVERSARIAL
    ]
    if not graded_probes:
        return None
    scores = np.array([probe.score for probe in graded_probes], dtype=np.float64)
    is_right = np.array([probe.facts.right for probe in graded_probes], dtype=np.bool_)
    cluster = cluster_numbers(probe.cluster for probe in graded_probes)
    sample = make_sample(is_right.astype(np.float64), scores, cluster)
    statistics = losses(scores, is_right, cluster)
    return CardProbabilities(
        ece=measure([ESTIMATORS["ece"]], sample, Settings())["ece"],
        calibration_in_the_large=statistics["calibration_in_the_large"],
        brier=statistics["brier"],
        brier_of_base_rate=statistics["brier_of_base_rate"],
    )
