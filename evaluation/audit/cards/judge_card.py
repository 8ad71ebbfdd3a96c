"""A judge's card: its results on one fixed set, to be read alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from ....calibration.arrays import cluster_numbers
from ....calibration.intervals.clustered_rates import share_of
from ....calibration.pass_threshold import PassThreshold
from ....calibration.statistic import Statistic
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
from .card_probabilities import CardProbabilities, card_probabilities
from .natural_faults import NaturalPart


class CardMiss(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that the judge graded wrongly.

    Attributes:
        plants: What its operator plants; ``nothing`` for an unchanged right output.
        operator: The operator.
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
    """Shares over all probes of a sort, clustered by case.

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


class NaturalShares(NaturalPart, frozen=True, kw_only=True):
    """Results on a set's natural part.

    Attributes:
        caught: Share of the systems' own faults that the judge fails.
        rejected: Share of the systems' right outputs that it fails.
        ungraded: Outputs without a score, by outcome; part of no share.
        misses: Outputs that it graded wrongly, without texts.
        probabilities: Its scores as probabilities, or None if they are not declared to be such.
    """

    caught: Statistic
    rejected: Statistic
    ungraded: dict[str, int]
    misses: list[CardMiss] = []
    probabilities: CardProbabilities | None = None


class CardCost(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of asking about the set, without its natural part.

    Attributes:
        verdicts: Verdicts asked for.
        calls: Calls made.
        prompt_tokens: Tokens of the prompts.
        completion_tokens: Tokens of the replies.
        from_recording: Verdicts whose replies were recorded or cached, and cost nothing now.
        dollars: US dollars, or None if nothing was spent or the price is not known.
        seconds_an_item: Seconds a verdict that was asked anew, or None if none was.
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
        card: Version of this format.
        set: The set of probes.
        judge: The judge's name as it signs verdicts.
        id: The judge's id; its fingerprint is that of everything asked and parsed.
        served: Models that the endpoint named in its replies, other than the one that was asked for.
        pass_at: Lowest score that passes.
        kinds: Probes asked about, by kind of case.
        shares: Shares over all probes of a sort.
        operators: Shares by operator.
        natural: Results on natural faults, or None if they were not tried.
        misses: Probes that it graded wrongly.
        cost: What asking took.
        probabilities: Its scores as probabilities, or None if they are not declared to be such.
        fiducial: The version that made the card.
        made: When.
        made_by: Who ran it, as they say; empty if they do not.
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


class _Judged(msgspec.Struct, frozen=True):
    """A judge's verdicts on a folder of probes."""

    judge: JudgeId
    by: str
    threshold: PassThreshold
    probes: list[ScoredProbe]
    kinds: dict[str, int]
    served: list[str]
    cost: CardCost
    about: Mapping[str, str]
    controls: Mapping[str, str]
    scores: ScoreKind | None

    @property
    def probabilities(self) -> CardProbabilities | None:
        """Its scores as probabilities, if the judge declares that they are."""
        return card_probabilities(self.probes) if self.scores == PROBABILITIES else None


def make_card(
    run: Path,
    probes: Path,
    of_set: AuditSet,
    natural: tuple[Path, Path, NaturalPart] | None,
    *,
    prices: PriceList | None,
    made: str,
    made_by: str,
) -> AuditCard:
    """Make the card of the judge of an audit's run folder.

    Args:
        run: The run folder of the audit of the whole set.
        probes: The folder of the set.
        of_set: The set.
        natural: Run folder and probe folder of the natural part, or None if it was not tried.
        prices: Prices of models.
        made: Time of the card.
        made_by: Who ran it.
    """
    judged = _judged(run, probes, prices)
    return AuditCard(
        set=of_set,
        judge=judged.by,
        id=judged.judge,
        served=judged.served,
        pass_at=judged.threshold.at,
        kinds=judged.kinds,
        shares=_shares(judged.probes),
        operators=operator_results(judged.probes, judged.about, judged.controls),
        natural=None if natural is None else _natural(*natural, prices),
        misses=list(_misses(judged.probes)),
        cost=judged.cost,
        probabilities=judged.probabilities,
        made=made,
        made_by=made_by,
    )


def _judged(run: Path, probes: Path, prices: PriceList | None) -> _Judged:
    """Read the verdicts of the one judge of a run; its word overlap baseline is not on the card."""
    manifest = read_manifest(probes)
    with RunStore(run) as store, CaseIndex(probes / CASES) as cases:
        store.require_unedited()
        task = next(iter(store.roster))  # the judge that was asked for; its baseline follows
        facts = list(read_facts(probes))
        chosen = choose_probes(facts, len(facts), cases.cluster).probes
        verdicts = [verdict for verdict in store.verdicts.read() if verdict.author == task.id]
        clusters = {key.case_id: cases.cluster(key.case_id) for key in chosen}
        scored = scored_probes(verdicts, chosen, clusters, {task.id: task.threshold}).get(task.id, {})
        # Not as replies came, so that anybody makes the same card again.
        in_order = [scored[fact.key] for fact in facts if fact.key in scored]
        return _Judged(
            task.id,
            task.by,
            task.threshold,
            in_order,
            dict(Counter(cases.facts(probe.facts.key.case_id).kind for probe in in_order)),
            models_named_in(verdicts),
            _cost(store, task.id, prices),
            manifest.about,
            manifest.controls,
            task.scores,
        )


def _shares(probes: Sequence[ScoredProbe]) -> CardShares:
    return CardShares(
        caught=_share(probes, {"fault"}, lambda each: not each.passed),
        rejected=_share(probes, {"nothing", "twin"}, lambda each: not each.passed),
        attacks_passed=_share(probes, {"attack"}, lambda each: each.passed),
        controls_passed=_share(probes, {"control"}, lambda each: each.passed),
        ungraded=_ungraded(probes),
    )


def _natural(run: Path, probes: Path, part: NaturalPart, prices: PriceList | None) -> NaturalShares:
    judged = _judged(run, probes, prices)
    return NaturalShares(
        **msgspec.structs.asdict(part),
        caught=_share(judged.probes, {"fault"}, lambda each: not each.passed),
        rejected=_share(judged.probes, {"nothing"}, lambda each: not each.passed),
        ungraded=_ungraded(judged.probes),
        misses=[msgspec.structs.replace(miss, reason=None) for miss in _misses(judged.probes)],
        probabilities=judged.probabilities,
    )


def _share(
    probes: Iterable[ScoredProbe], plants: Collection[str], counts: Callable[[ScoredProbe], bool]
) -> Statistic:
    graded = [probe for probe in probes if probe.facts.plants in plants and probe.score is not None]
    scores = np.array([counts(probe) for probe in graded], dtype=np.float64)
    return share_of(scores, cluster_numbers(probe.cluster for probe in graded))


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
    asked = sum(use.outcomes.values())
    anew = asked - use.from_cache
    seconds = None if use.seconds is None or not use.calls or not anew else use.seconds / anew
    return CardCost(
        verdicts=asked,
        calls=use.calls,
        prompt_tokens=use.prompt_tokens,
        completion_tokens=use.completion_tokens,
        from_recording=use.from_cache,
        dollars=use.cost,
        seconds_an_item=seconds,
    )
