"""Entry point of `fiducial compare`: every pair of judges or systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from ...errors import InputError, UsageError
from ...records import known_names
from ...spelling import setting, spelled_pairs, spelled_word
from ..intervals.measurement import DEFAULT_SETTINGS, Settings
from ..label_declarations import LabelDeclaration
from ..sample import Estimator
from ..statistic import Caution, labels_of_checkers
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import AMOUNTS, Table
from ..tables.columns import Column
from ..tied_labels import tied_labels
from .choosing import CostOf, best_of_many, costs
from .class_rates import WEIGHTED, ErrorCosts, weighted_accuracy
from .comparison_cautions import (
    left_out_cautions,
    rough_interval_cautions,
    system_cautions,
    threshold_cautions,
)
from .comparison_results import (
    Best,
    By,
    ComparedPair,
    Comparison,
    Contender,
    Costs,
    Right,
)
from .judges import (
    ContenderTerms,
    JudgeTerms,
    baselines,
    baselines_compared,
    best_judge,
    common_items,
    judge_contender,
    judged_pairs,
    with_probabilities,
)
from .margin import require_better_end, strata_with_margin
from .outputs import AllOutputs, graded_of, outputs_of
from .pairs import ContenderRows, contender_rows
from .systems import SystemTerms, strata_of


def compare(  # noqa: PLR0913 - each is named, and an option of the command
    table: Table,
    *,
    by: By = "judge",
    right: Right | None = None,
    pass_at: float | Mapping[str, float] | None = None,
    against: str | None = None,
    statistic: str | ErrorCosts | None = None,
    flips: int = 0,
    not_worse_by: float | None = None,
    labels_chosen_by: LabelDeclaration | None = None,
    settings: Settings = DEFAULT_SETTINGS,
    cost_of: CostOf | None = None,
) -> Comparison:
    """Compare every pair on the items that both have.

    Args:
        table: Rows of two or more judges, or systems.
        by: ``judge``: which judge is right more often? ``system``: which system passes more often, by
            decisions and by judges' verdicts on the other outputs?
        right: Meaning of being right. For judges: ``agrees``, score and label are on the same side of the
            threshold; ``score`` or ``label``, it passes; None is ``agrees``, or ``score`` without any label.
            For systems: ``score`` or ``label`` uses only these, ``agrees`` compares how well systems are
            judged, None compares by stratum.
        pass_at: Pass threshold of verdicts and of their labels: for all judges or by judge; by default the
            one that a judge declares, else 0.5.
        against: The only judge or system to compare with, or None for all pairs.
        statistic: Statistic whose difference is estimated, for judges or for how well systems are judged; any
            but ``accuracy`` needs labels. None is ``balanced_accuracy`` of judges whose labels all have both
            classes, else ``accuracy``. Costs of the two errors compare by ``weighted_accuracy``.
        flips: Maximum number of items to list on which a pair differs.
        not_worse_by: Margin by which one may be worse; with it each pair gets a conclusion, ``margin``.
        labels_chosen_by: How undecided outputs of systems were chosen for labels; by default as the labels of
            the table say.
        settings: Interval of the difference; for systems only its level is used.
        cost_of: Prices of judges, for tables with tokens but no costs.

    Raises:
        InputError: There are fewer than two to compare, ``against`` is not one of them, needed labels are
            missing, or systems are compared by a statistic of judges.
    """
    table = table.with_pass_at(pass_at)
    if by == "system":
        if "system" not in table.columns:
            raise InputError(
                f"the table has no column system; name it with {spelled_pairs('map', {'system': 'COLUMN'})}"
            )
        if right != "agrees":
            if statistic not in {None, "accuracy"}:
                name = WEIGHTED if isinstance(statistic, ErrorCosts) else statistic
                raise InputError(
                    f"{name} measures agreement: add {spelled_word('right', 'agrees')}, or drop {setting('statistic')} to compare pass rates"
                )
            chosen_by = labels_chosen_by or table.labels_chosen_by
            terms = SystemTerms(table.item.values, against, flips, settings.level, chosen_by)
            return _compare_systems(table, terms, right=right, not_worse_by=not_worse_by, cost_of=cost_of)
    right = _criterion(table, right)
    estimator = _compared_statistic(table, statistic, by=by, right=right)
    terms = JudgeTerms(estimator, table.item.values, against, flips, settings, not_worse_by)
    comparison = _compare_judges(table, terms, by=by, right=right, cost_of=cost_of)
    if isinstance(statistic, ErrorCosts):
        comparison = replace(comparison, error_costs=tuple(statistic))
    return comparison


def _compared_statistic(
    table: Table, statistic: str | ErrorCosts | None, *, by: By, right: Right
) -> Estimator:
    """Return the compared statistic: the requested one, else what the labels allow."""
    if isinstance(statistic, ErrorCosts):
        if right != "agrees":
            raise UsageError(f"{setting('error_costs')} weighs errors of judges, which only labels show")
        return weighted_accuracy(statistic)
    if statistic is None:
        has_both_classes = by == "judge" and right == "agrees" and _have_both_classes(table)
        statistic = "balanced_accuracy" if has_both_classes else "accuracy"
    return ESTIMATORS[statistic]


def _have_both_classes(table: Table) -> bool:
    """Return whether every judge with labels has labels of both classes, and one has."""
    usable = np.isfinite(table.label) & np.isfinite(table.score)
    classes = {tuple(np.unique(table.right[usable & rows])) for _, rows in table.judge.present()}
    # An empty tuple is a judge without labels.
    return classes - {()} == {(False, True)}


def _compare_judges(
    table: Table, terms: JudgeTerms, *, by: By, right: Right, cost_of: CostOf | None
) -> Comparison:
    contenders = contender_rows(table, by, right)
    usable = {contender.name: contender for contender in contenders if len(contender.key)}
    systems = list(table.columns["system"].present()) if by == "judge" and "system" in table.columns else []
    _require_two(contenders, by, right, terms.against, systems=len(systems))
    if terms.not_worse_by is not None:
        require_better_end(terms.estimator.name, labelled=right == "agrees")
    pairs = judged_pairs(usable, terms)
    if by == "judge":
        pairs = with_probabilities(pairs, usable, terms.names, terms.settings.level)
    cost = _costs(table, table.judge if by == "judge" else table.columns["system"], cost_of)
    contender_terms = ContenderTerms(terms.estimator, terms.settings, right == "agrees", len(usable))
    results = {name: judge_contender(rows, contender_terms, cost.get(name)) for name, rows in usable.items()}
    by_labels = by == "judge" and right == "agrees"
    return Comparison(
        by=by,
        right=right,
        statistic=terms.estimator.name,
        pairs=pairs,
        contenders=results,
        best=best_judge(usable, results, contender_terms),
        cuts=dict(table.thresholds),
        baselines=baselines(table, terms.settings.level) if by_labels else {},
        baselines_compared=baselines_compared(table, terms.estimator)
        if by_labels and terms.estimator.name != "accuracy"
        else {},
        cautions=[
            *left_out_cautions(contenders),
            *(threshold_cautions(usable, table.thresholds, terms.against) if by == "judge" else []),
            *rough_interval_cautions(pairs, terms.estimator),
            *labels_of_checkers(table.checkers),
            *tied_labels(table),
            *_row_numbers(table, pairs),
        ],
    )


def _row_numbers(table: Table, pairs: Sequence[ComparedPair]) -> list[Caution]:
    return [Caution("row_numbers")] if table.numbered and not any(pair.n for pair in pairs) else []


def _criterion(table: Table, requested: Right | None) -> Right:
    """Return the comparison criterion: the requested one, if the table has the labels it needs."""
    labelled = bool(np.isfinite(table.label).any())
    if requested in {"agrees", "label"} and not labelled:
        raise InputError(
            f"no row has a label, which {spelled_word('right', requested)} needs; {spelled_word('right', 'score')} compares without"
        )
    return requested or ("agrees" if labelled else "score")


def _require_two(
    contenders: Sequence[ContenderRows], by: By, right: Right, against: str | None, *, systems: int
) -> None:
    """Require two contenders with usable rows; else suggest another comparison."""
    names = [contender.name for contender in contenders if len(contender.key)]
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        usable = f"only one {by} with usable rows ({names[0]})" if names else f"no {by} with usable rows"
        hint = "; name a second table"
        if len(contenders) > 1 and right != "score":
            hint = (
                f" ({spelled_word('right', right)} needs labels; {spelled_word('right', 'score')} does not)"
            )
        elif systems > 1:
            hint = f" ({spelled_word('by', 'system')} compares the systems)"
        raise InputError(f"there is {usable}; nothing to compare{hint}")
    _require_known(names, by, against)


def _require_known(names: Sequence[str], by: By, against: str | None) -> None:
    if against is not None and against not in names:
        raise InputError(f"there is no {by} {against!r}{known_names(against, names)}")


def _compare_systems(
    table: Table,
    terms: SystemTerms,
    *,
    right: Right | None,
    not_worse_by: float | None,
    cost_of: CostOf | None,
) -> Comparison:
    outputs = outputs_of(table, right)
    names = list(outputs.systems)
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        usable = f"only one system with outputs ({names[0]})" if names else "no system with outputs"
        raise InputError(
            f"there is {usable}; nothing to compare; "
            "`fiducial report RUN1 RUN2` compares two runs of one system"
        )
    _require_known(names, "system", terms.against)
    strata = strata_of(outputs, terms)
    if not_worse_by is not None:
        strata = strata_with_margin(strata, not_worse_by, against=terms.against)
    all_outputs = strata.all
    cost = _costs(table, table.columns["system"], cost_of)
    return Comparison(
        by="system",
        right=right,
        statistic="accuracy",
        pairs=all_outputs.pairs,
        contenders={
            name: Contender(
                n=all_outputs.graded[name],
                n_left_out=all_outputs.outputs[name] - all_outputs.graded[name],
                share_right=all_outputs.rates[name],
                costs=cost.get(name),
            )
            for name in names
        },
        best=None if all_outputs.corrected or all_outputs.n_cases else _best_system(outputs, terms.level),
        cuts={judge: table.threshold_of(judge) for judge in outputs.judges},
        cautions=[
            *system_cautions(outputs, strata),
            *labels_of_checkers(table.checkers),
            *tied_labels(table),
            *_row_numbers(table, all_outputs.pairs),
        ],
        strata=strata,
    )


def _costs(table: Table, column: Column, cost_of: CostOf | None) -> dict[str, Costs | None]:
    if not table.numbers.keys() & set(AMOUNTS):
        return {}
    return {name: costs(table, rows, cost_of) for name, rows in column.rows().items()}


def _best_system(outputs: AllOutputs, level: float) -> Best | None:
    """Return the best system on the graded tasks common to all, or None without such a task."""
    graded = {name: system.take(system.is_graded) for name, system in graded_of(outputs).items()}
    systems = list(graded.values())
    if any(system.by_probability for system in systems):
        return None  # `best_of_many` counts passes, and probabilities are none
    common, rows_of_common = common_items([system.task for system in systems])
    if not len(common):
        return None
    passes = np.stack(
        [system.result[rows] == 1.0 for system, rows in zip(systems, rows_of_common, strict=True)]
    )
    choice = best_of_many(passes, systems[0].cluster[rows_of_common[0]], level=level)
    name = list(graded)[choice.best]
    return Best(name=name, n=len(common), apparent=choice.apparent, held_out=choice.held_out)
