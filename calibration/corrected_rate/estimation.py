"""The true pass rate of each system, from judge scores and available labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast, get_args

import msgspec
import numpy as np

from ...errors import InputError, UsageError
from ...records import known_names
from ...spelling import setting, spelled_word
from ..arrays import clusters_in
from ..case_weights import cases_of, first_verdicts, with_case_weights
from ..comparison.significance import ranks, simultaneous_level
from ..label_declarations import LabelDeclaration, LabelsDeclaredBy
from ..pass_threshold import PassThreshold, begins
from ..statistic import Statistic, undefined
from ..tables.calibration_table import FAILED, ROUND, Table
from .anytime import anytime_basis, require_ordered_design
from .chosen_by_columns import explaining
from .covariate_shift import reweighted_rate, shifted_labels
from .drawn import require_random_draw, was_drawn
from .estimation_results import Estimation, RateEstimate, Target
from .label_order import label_rounds
from .multi_phase import multi_phase_rate, nested_verdicts
from .open_bound import decided_rows, rate_if_worse
from .pass_or_fail import pass_or_fail
from .people_errors import label_errors
from .rate_cautions import rate_cautions
from .rate_estimates import UNEVEN, RateTerms, judge_mean, rate_estimates, scenarios
from .rate_interval import RateInterval
from .repeated_verdicts import score_variance, with_repeats
from .several_judges import several_judges_rate
from .strata import with_strata
from .ungraded_levels import ungraded_shares


class FurtherEstimates(NamedTuple):
    """Options for estimates that are made only on request.

    Attributes:
        judges: Judges to combine (`several_judges_rate`); the first is the judge of the other estimates.
        reweight_by: Columns to weight labels by (`reweighted_rate`). Which items have a label may depend on
            these columns alone.
        open_worse_by: Largest assumed drop in TPR and TNR on undecided outputs (`rate_if_worse`). All estimates
            are then of undecided outputs only.
        anytime: Whether to report a confidence sequence, which is valid at every look (`anytime_rate`).
    """

    judges: Sequence[str] = ()
    reweight_by: Sequence[str] = ()
    open_worse_by: float | None = None
    anytime: bool = False


def estimate(
    table: Table,
    *,
    judge: str | None = None,
    pass_at: float | Mapping[str, float] | None = None,
    interval: RateInterval = "score",
    level: float = 0.95,
    target: Target = "population",
    strata: str | None = None,
    phases: Sequence[str] = (),
    labels_chosen_by: LabelDeclaration | None = None,
    further: FurtherEstimates | None = None,
) -> Estimation:
    """Estimate the mean label of the items' population, or of just these items.

    Estimates are made for all rows and for each system. Rows with a label must be a random sample
    of all rows. With 0/1 labels the mean is a pass rate.

    Args:
        table: One judge's rows, or several judges' with ``judge``.
        judge: Judge whose scores are used; with ``phases`` or ``judges``, their first or None.
        pass_at: Pass threshold of scores and labels. Without one, the estimates are of the mean of fractions,
            and those that need binary verdicts take the threshold that the judge declares, else 0.5.
        interval: ``score``: Wilson's intervals on the effective n; estimates are withheld if labelled items
            are not a random sample by their scores. ``logit``: as published, clustered. ``wald``: items taken
            as independent, as in other software; of a sample that is not random no estimate is the answer,
            but all have numbers.
        level: Nominal coverage.
        target: The ``population`` behind the items, or the ``finite`` set that they are.
        strata: Also estimate stratum by stratum: a column, or ``score`` for parts by the judge's score.
        labels_chosen_by: How items were chosen for labels (`LabelDeclaration`), or None if that is not known.
        phases: Judges of nested samples, the one with most verdicts first (`multi_phase_rate`); the first is
            the judge of the other estimates.
        further: Estimates that are made only on request.

    Raises:
        InputError: There are several judges and none is named, there is no such judge or column, or an
            estimate is not available for a finite set.
        UsageError: ``judge``, ``phases`` and ``judges`` name different judges first, or options say in two ways
            how labels were chosen.
    """
    requested = further or FurtherEstimates()
    judges, reweight_by = requested.judges, requested.reweight_by
    open_worse_by, anytime = requested.open_worse_by, requested.anytime
    _require_same_terms(requested, target, labels_chosen_by, strata=strata, phases=phases)
    all_judges = table.with_pass_at(pass_at)
    first_judge = _first_judge(judge, phases=phases, judges=judges)
    table = rows_of_judge(all_judges, judge if first_judge is None else first_judge)
    label_threshold = next((table.threshold_of(name) for name in table.judge.rows()), PassThreshold())
    all_judges, table = pass_or_fail(all_judges, label_threshold), pass_or_fail(table, label_threshold)
    # Later steps narrow `table`; keep it with all verdicts for their variance, and with decided rows for the bound.
    with_repeated_verdicts = table
    table = with_case_weights(first_verdicts(table))
    with_decided = table
    if open_worse_by is not None:
        all_judges, table = _undecided_rows(all_judges), _undecided_rows(table)
        if not len(table):
            raise InputError(
                f"every judged output is decided; {setting('open_worse_by')} is for undecided ones"
            )
    _require_one_way_to_choose(table, labels_chosen_by, strata)
    require_random_draw(table)
    labels_chosen_by = labels_chosen_by or _as_labels_say(table, strata)
    if strata is not None:
        table = with_strata(table, strata)
    elif labels_chosen_by == "system":
        table = with_strata(table, "system")
    chosen_by = None if labels_chosen_by in ("random", "system") else labels_chosen_by
    options = RateTerms(table.at_one_threshold()[1], interval, level, target, chosen_by, anytime)
    declared_by = labels_chosen_by or _labels_declared_by(
        table, reweight_by=reweight_by, phases=phases, strata=strata
    )
    column = table.columns.get("system")
    systems = {} if column is None else {name: table.take(rows) for name, rows in column.present()}
    rank_of = _ranks(systems, options) if len(systems) > 1 else {}
    overall = _rate_estimate(table, options, "all", declared_by)
    if declared_by in _NEEDS_LABELS_OF_EVERY_SYSTEM and (unlabelled := _systems_without_labels(systems)):
        overall = _without_corrections(overall, unlabelled)
    estimation = Estimation(
        all=overall,
        systems={
            name: _rate_estimate(system_table, options, name, declared_by, rank_of.get(name))
            for name, system_table in systems.items()
        },
        judge=first_judge,
        undecided_only=table.undecided_only,
    )
    if len(with_repeated_verdicts) > len(table) and open_worse_by is None:
        estimation = with_repeats(estimation, with_repeated_verdicts, level)
    estimation = _with_estimates(estimation, all_judges, _estimators_of_judges(phases, judges, level))
    if reweight_by:

        def weighted(part: Table) -> Statistic:
            return reweighted_rate(shifted_labels(part, reweight_by), level=level)

        estimation = _with_estimates(estimation, table, {"reweighted": weighted})
    return (
        estimation if open_worse_by is None else _with_bound(estimation, with_decided, open_worse_by, options)
    )


def _undecided_rows(table: Table) -> Table:
    decided = decided_rows(table)
    return replace(table.take(~decided), undecided_only=bool(decided.any()))


def _require_same_terms(
    further: FurtherEstimates,
    target: Target,
    chosen_by: LabelDeclaration | None,
    *,
    strata: str | None,
    phases: Sequence[str],
) -> None:
    """Refuse estimates that have no form for a finite set, or at every look."""
    other_requests = {
        "phases": phases,
        "judges": further.judges,
        "reweight_by": further.reweight_by,
        # In a tuple, so that a bound of 0 counts as given.
        "open_worse_by": () if further.open_worse_by is None else (further.open_worse_by,),
    }
    if any(other_requests.values()) and target == "finite":
        raise InputError(
            f"{setting('phases')}, {setting('judges')}, {setting('reweight_by')} and {setting('open_worse_by')} estimate a population: drop {spelled_word('target', 'finite')}"
        )
    if further.anytime:
        require_ordered_design(chosen_by, other_requests | {"strata": strata})


_NEEDS_LABELS_OF_EVERY_SYSTEM: frozenset[LabelsDeclaredBy | None] = frozenset(
    {None, "system", "label", "score"}
)
"""Declarations under which the overall rate is corrected only if every system has labels."""


def _systems_without_labels(systems: Mapping[str, Table]) -> list[str]:
    """Return the systems that have no labels; empty if no system has any."""
    unlabelled = [name for name, system_table in systems.items() if not np.isfinite(system_table.label).any()]
    return unlabelled if len(unlabelled) < len(systems) else []


def _without_corrections(overall: RateEstimate, unlabelled: Sequence[str]) -> RateEstimate:
    """Return the overall rate with undefined corrections, since systems have no labels."""
    why = (
        f"no output of {', '.join(unlabelled)} has a label: the labels of other systems say nothing about it"
    )
    return msgspec.structs.replace(
        overall,
        weight=None,
        label_equivalents=None,
        scenarios=None,
        estimates={
            name: undefined(why, n=estimate.n, level=estimate.level)
            for name, estimate in overall.estimates.items()
        },
    )


def _labels_declared_by(table: Table, **options: str | Sequence[str] | None) -> LabelsDeclaredBy | None:
    """Return what implies how labels were chosen, or None if nothing does."""
    applies: dict[LabelsDeclaredBy, bool] = {
        "draw": ROUND in table.numbers or bool(was_drawn(table).any()),
        "reweight_by": bool(options["reweight_by"]),
        "phases": bool(options["phases"]),
        "strata": bool(options["strata"]),
        "every_output": bool(np.isfinite(table.label[np.isfinite(table.score)]).all()),
        "review": table.labels_chosen_by == "review",
    }
    return next((name for name, does_apply in applies.items() if does_apply), None)


def _as_labels_say(table: Table, strata: str | None) -> LabelDeclaration | None:
    """Return how the label files say that labels were chosen, unless draws or strata decide."""
    chosen_by = table.labels_chosen_by
    if was_drawn(table).any() or strata is not None:
        return None
    return None if chosen_by not in get_args(LabelDeclaration) else cast("LabelDeclaration", chosen_by)


def _require_one_way_to_choose(table: Table, chosen_by: LabelDeclaration | None, strata: str | None) -> None:
    """Refuse a declaration of how labels were chosen that another option contradicts."""
    if chosen_by is not None and was_drawn(table).any():
        raise UsageError(f"the labels were drawn with known chances: drop {setting('labels_chosen_by')}")
    if chosen_by in {"label", "elsewhere", "system"} and strata is not None:
        raise UsageError(
            f"{setting('strata')} has no effect on labels chosen by {chosen_by}: drop {setting('strata')}, or {setting('labels_chosen_by')}"
        )


def _first_judge(judge: str | None, **combined: Sequence[str]) -> str | None:
    """Return the first judge of the combinations by option, or None if none was requested.

    Raises:
        UsageError: Another judge was named, or two combinations begin with different judges.
    """
    first_option, first_judge = "judge", judge
    for option, names in combined.items():
        if not names:
            continue
        if first_judge is not None and names[0] != first_judge:
            raise UsageError(
                f"{setting(option)} begins with {names[0]!r}, the judge of the other estimates, but {setting(first_option)} "
                f"{'names' if first_option == 'judge' else 'begins with'} {first_judge!r}: name one judge first"
            )
        first_option, first_judge = option, names[0]
    return first_judge if any(combined.values()) else None


def _estimators_of_judges(
    phases: Sequence[str], judges: Sequence[str], level: float
) -> dict[str, Callable[[Table], Statistic]]:
    """Return functions for the requested estimates that use several judges, by name."""

    def nested(part: Table) -> Statistic:
        return multi_phase_rate(nested_verdicts(part, phases), level=level)

    def combined(part: Table) -> Statistic:
        return several_judges_rate(nested_verdicts(part, judges), level=level)

    return ({"multi_phase": nested} if phases else {}) | ({"several_judges": combined} if judges else {})


def _with_estimates(
    estimation: Estimation, table: Table, estimators: Mapping[str, Callable[[Table], Statistic]]
) -> Estimation:
    """Add estimates for all rows and for each system."""
    if not estimators:
        return estimation
    column = table.columns.get("system")
    rows_by_system = {} if column is None else dict(column.present())

    def with_added(rate: RateEstimate, part: Table) -> RateEstimate:
        added = {
            name: estimator(part)
            if rate.n_cases is None
            else undefined(UNEVEN, n=rate.n_labelled, level=rate.uncorrected.level)
            for name, estimator in estimators.items()
        }
        return msgspec.structs.replace(rate, estimates=added | rate.estimates)

    return msgspec.structs.replace(
        estimation,
        all=with_added(estimation.all, table),
        systems={
            name: with_added(rate, table.take(rows_by_system[name]))
            for name, rate in estimation.systems.items()
        },
    )


def _with_bound(estimation: Estimation, table: Table, worse: float, options: RateTerms) -> Estimation:
    """Add the rates of undecided outputs, with intervals for a judge that is worse on them."""

    def bound(part: Table) -> Statistic:
        return rate_if_worse(part, decided_rows(part), worse, options.pass_at, options.level)

    with_bound = _with_estimates(estimation, table, {"open_worse_by": bound})
    return msgspec.structs.replace(
        with_bound,
        all=msgspec.structs.replace(with_bound.all, worse_by=worse),
        systems={
            name: msgspec.structs.replace(rate, worse_by=worse) for name, rate in with_bound.systems.items()
        },
    )


def rows_of_judge(table: Table, judge: str | None) -> Table:
    """Return the rows of one judge, named in full or by the only name that begins so.

    Raises:
        InputError: Several judges and none is named, or no such judge.
    """
    judges = dict(table.judge.present())
    if judge is None:
        if len(judges) > 1:
            raise InputError(
                f"the table has {len(judges)} judges ({', '.join(judges)}); name one with {setting('judge')}"
            )
        return table
    matching = [judge] if judge in judges else [name for name in judges if begins(name, judge)]
    if not matching:
        raise InputError(f"there is no judge {judge!r}{known_names(judge, judges)}")
    if len(matching) > 1:
        raise InputError(f"{judge!r} may be {' or '.join(matching)}")
    return table.take(judges[matching[0]])


def _rate_estimate(
    table: Table,
    options: RateTerms,
    name: str,
    declared_by: LabelsDeclaredBy | None,
    rank: Statistic | None = None,
) -> RateEstimate:
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    # Labels from elsewhere are of other items: the judge's own rate is that of the others.
    items = table.take(~labelled) if options.chosen_by == "elsewhere" else table
    rates, uncorrected = rate_estimates(table, options), judge_mean(items, options)
    errors = label_errors(table, options)
    people_estimate = {} if errors is None or errors.rate is None else {"people_errors": errors.rate}
    return RateEstimate(
        n_labelled=int((labelled & judged).sum()),
        n_unlabelled=int((judged & ~labelled).sum()),
        n_missing=int((~judged).sum()),
        n_missing_labelled=int((labelled & ~judged).sum()),
        n_missing_failed=int(np.isfinite(table.numbers[FAILED]).sum()) if FAILED in table.numbers else 0,
        n_cases=cases_of(table),
        ungraded=ungraded_shares(table),
        graded_rate=rates.graded_rate,
        n_clusters=clusters_in(table.cluster),
        fractions=int(((table.score > 0) & (table.score < 1)).sum()),
        label_fractions=int(((table.label > 0) & (table.label < 1)).sum()),
        target=options.target,
        judge_mean=uncorrected.value,
        uncorrected=uncorrected,
        weight=rates.weight,
        label_equivalents=rates.label_equivalents,
        estimates=people_estimate | rates.estimates,
        strata=rates.strata,
        rank=rank,
        chosen_by=options.chosen_by,
        declared=declared_by,
        label_errors=errors,
        label_rounds=label_rounds(table),
        anytime=anytime_basis(table) if options.anytime else None,
        scenarios=scenarios(table, rates, options),
        variance=score_variance(table, judged, uncorrected, options.level),
        cautions=rate_cautions(table, options, name, rates.chosen),
        chosen_by_columns=dict(rates.columns),
        explained_by=explaining(table, rates.columns),
    )


def _ranks(systems: dict[str, Table], options: RateTerms) -> dict[str, Statistic]:
    """Rank the systems by their best estimates, with intervals valid for all at once."""
    simultaneous = options._replace(level=simultaneous_level(options.level, len(systems)))
    rates = {name: rate_estimates(part, simultaneous).headline for name, part in systems.items()}
    return ranks(rates, level=options.level)
