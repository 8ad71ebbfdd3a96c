"""Last stage: count verdicts, calibrate judges against labels, and complete the run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from ...calibration.agreement.calibration_results import Calibration
from ...judges.prices import PriceList, with_dollars
from ...judges.statements import case_of, is_statement
from ...records import NO_USAGE, Author, CaseIndex, ItemKey, JudgeId, Outcome, Source, Usage
from ...records.made_scores import reaches
from ...records.verdict import COMPOSITE_KINDS, PART_KINDS
from ...tables.label_rounds import n_rounds
from ...tables.standing_labels import effective_source, standing_labels
from ..context import RunContext
from ..labelling.label_choice import choice_of
from ..served_versions import ServedVersions
from ..store.journal_rows import StoredVerdict, is_baseline
from ..store.manifest import Counts, Roster
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .completed_results import with_examples, with_overall_rates
from .rates_by_part import system_results
from .run_results import JudgeUse, SystemResult
from .run_summary import RunSummary, certified_in, folder_named, keep_comparison
from .running_counts import OpenScores, Tally, entry
from .uneven_trials import with_uneven_overall, with_uneven_trials, with_weights

if TYPE_CHECKING:
    from ...calibration.tables.calibration_table import Table

_PASS_AT = 0.5
"""Pass threshold for comparing checkers with people."""


def conclude(context: RunContext, *, prices: PriceList | None = None, judged: bool = True) -> RunSummary:
    """Count, calibrate and compare, and write the results and the manifest.

    Results are ``calibration.json`` and ``comparison.json``. ``judged`` tells whether judges could be asked; if so, the summary also
    lists judges that had nothing to judge.
    """
    inputs, writer = context.inputs, context.writer
    clusters = cluster_names(inputs.cases) | _statement_clusters(context)
    # Shards have no order, so the file must not depend on it.
    writer.put_clusters(dict(sorted(clusters.items())) if inputs.sharded else clusters)
    tally = take_tally(writer, inputs.cases)
    missing = inputs.survey.missing
    labels = writer.label_scores
    judges = _with_labels(judge_uses(writer, prices, judged=judged), tally, labels)
    uneven = inputs.survey.uneven
    cluster_of_case = partial(_cluster_of, inputs.cases)
    systems = system_results(
        tally,
        missing,
        labels,
        writer.roster.judges_kind,
        recorded=inputs.survey.recorded,
        chosen_by=choice_of(writer.labels) if labels else None,
        trials=writer.verdicts.standing.trials_by_case() if uneven else {},
    )
    missing_cases = inputs.survey.missing_cases
    systems = [
        msgspec.structs.replace(system, missing_case=missing_cases.get(system.system, ""))
        for system in systems
    ]
    systems = with_uneven_trials(systems, uneven, lambda: _checkers_first(writer), cluster_of_case)
    calibration = None
    if any(judge.outcomes for judge in judges) and (tally.checked or labels):
        calibration, judges = _calibrate(writer, judges, tally)
    judges = _with_jury_votes(writer, judges, calibration)
    expected = inputs.survey.outputs + sum(missing.values())
    counts = _count_run(writer, tally, systems, judges, expected=expected)
    writer.update(
        results=systems, judges=judges, counts=counts
    )  # the comparison reads these from the manifest
    comparison = keep_comparison(writer)
    systems = with_uneven_overall(with_overall_rates(systems, writer, comparison), uneven, writer)
    systems = with_weights(systems, tally, writer.verdicts.standing.trials_by_case())
    systems = with_examples(systems, tally, writer)
    writer.update(results=systems)
    return RunSummary(
        systems=systems,
        judges=judges,
        counts=counts,
        calibration=calibration,
        compared=comparison,
        folder=folder_named(writer),
        command=writer.manifest.command or "",
        certified=certified_in(writer),
    )


def _count_run(
    store: RunStore,
    tally: Tally,
    systems: Iterable[SystemResult],
    judges: Iterable[JudgeUse],
    *,
    expected: int,
) -> Counts:
    """Return the counts of a run with this expected number of outputs."""
    failed_calls = sum(
        judge.outcomes.get("failed", 0)
        for judge in judges
        if judge.id is None or judge.id.kind not in COMPOSITE_KINDS
    )
    labelled = store.label_scores.keys()
    unused_labels = labelled - {verdict.key for verdict in store.verdicts.standing} if labelled else ()
    return Counts(
        failed=sum(system.failed_checks for system in systems) + failed_calls,
        outputs=expected,
        graded=sum(map(len, tally.graded.values())),
        unused_labels=len(unused_labels),
        labels=_labels_by_source(store),
        checked_labelled=tally.against_people.total(),
        failed_labelled_good=tally.against_people[False, True],
        passed_labelled_bad=tally.against_people[True, False],
        label_rounds=n_rounds(store.labels),
    )


def _with_labels(uses: Iterable[JudgeUse], tally: Tally, labels: Mapping[ItemKey, float]) -> list[JudgeUse]:
    """Add how many undecided outputs each judge graded, and how many of them have a label."""
    graded_keys: dict[Author, list[ItemKey]] = {}
    for scores in tally.open_scores.values():
        for judge, judge_scores in scores.items():
            graded_keys.setdefault(judge, []).extend(judge_scores.keys)

    with_labels: list[JudgeUse] = []
    for use in uses:
        keys = graded_keys.get(use.id or use.name, [])
        labelled = sum(key in labels for key in keys)
        with_labels.append(msgspec.structs.replace(use, undecided=len(keys), undecided_labelled=labelled))
    return with_labels


def _labels_by_source(store: RunStore) -> dict[Source, int]:
    return dict(Counter[Source](map(effective_source, standing_labels(store.labels).values())))


def cluster_names(cases: CaseIndex) -> dict[str, str]:
    """Return the cluster by case id, for cases whose cluster is not their own id."""
    return {case_id: cluster for case_id in cases if (cluster := cases.cluster(case_id)) != case_id}


def _statement_clusters(context: RunContext) -> dict[str, str]:
    """Return the case's cluster by the case id of a statement or criterion.

    See docs/decisions/0007-statements-of-one-answer-are-dependent.md.
    """
    writer, cases = context.writer, context.inputs.cases
    if not any(judge.id.kind in PART_KINDS for judge in writer.roster):
        return {}
    ids = {case_id for case_id in writer.verdicts.standing.cases if is_statement(case_id, cases)}
    return {case_id: cases.cluster(case_of(case_id)) for case_id in sorted(ids)}


def take_tally(store: RunStore, cases: CaseIndex) -> Tally:
    """Count the standing verdicts.

    Repeats of a judge are left to calibration, and statements are counted in their answers.
    """
    tally, undecided, replies = Tally(), set[ItemKey](), _Replies()
    people = {
        key: label.score
        for key, label in standing_labels(store.labels).items()
        if effective_source(label) == "human" and label.score is not None
    }
    for verdict in _checkers_first(store):  # so that all undecided outputs are known before judges count
        case_id, system, trial = verdict.key
        if case_id not in cases:  # a statement or criterion, which counts within its answer
            continue
        facts = cases.facts(case_id)
        cluster = facts.cluster
        if verdict.graded:
            entry(tally.graded, (system, trial), set).add(case_id)
        if verdict.source == "checker":
            tally.add_checked(verdict, cluster, facts.kind, silent=facts.silent)
            if verdict.outcome == "undecided":
                undecided.add(verdict.key)
            if people and verdict.score is not None and (label := people.get(verdict.key)) is not None:
                tally.against_people[reaches(verdict.score, _PASS_AT), reaches(label, _PASS_AT)] += 1
        # Judges count on undecided outputs; in a run without checkers, all outputs are undecided.
        elif verdict.repeat == 0 and (verdict.key in undecided or not tally.checked):
            tally.add_open(verdict, cluster, facts.kind)
            replies.add(verdict)
            if verdict.graded and tally.checked:
                scores = tally.open_scores.setdefault(system, {})
                entry(scores, verdict.author, OpenScores).add(verdict, cluster)
    replies.count_into(tally)
    return tally


class _Replies:
    """Outputs by the result of asking judges about them: a grade, no grade, or failed calls."""

    def __init__(self) -> None:
        self._withheld: dict[ItemKey, Outcome] = {}
        self._failed = dict[ItemKey, None]()  # an ordered set
        self._graded = set[ItemKey]()

    def add(self, verdict: StoredVerdict) -> None:
        """Note a judge's verdict; baselines do not count."""
        if is_baseline(verdict.author):
            return
        if verdict.graded:
            self._graded.add(verdict.key)
        elif verdict.outcome in {"unparsable", "refused"}:
            self._withheld.setdefault(verdict.key, verdict.outcome)
        elif verdict.outcome == "failed":
            self._failed[verdict.key] = None

    def count_into(self, tally: Tally) -> None:
        """Add the outputs that no judge graded to the tally, by system and reason."""
        for key, outcome in self._withheld.items():
            if key not in self._graded:
                entry(tally.withheld, key.system, Counter)[outcome] += 1
                entry(tally.withheld_keys, key.system, list).append(key)
        for key in self._failed:
            if key not in self._graded and key not in self._withheld:
                tally.failed_calls[key.system] += 1


def _checkers_first(store: RunStore) -> Iterator[StoredVerdict]:
    """Yield the standing verdicts, checkers' before all others.

    So it is known which outputs checkers left undecided when the first judge's verdict comes, in whatever order they were journaled.
    """
    return chain(
        (verdict for verdict in store.other_verdicts() if verdict.source == "checker"),
        (verdict for verdict in store.standing_verdicts if verdict.source != "checker"),
    )


def _cluster_of(cases: CaseIndex, case_id: str) -> str | None:
    return cases.facts(case_id).cluster if case_id in cases else None


def _calibrate(
    writer: RunWriter, judges: list[JudgeUse], tally: Tally
) -> tuple[Calibration | None, list[JudgeUse]]:
    """Calibrate judges with labels, and test whether each is worse on undecided outputs.

    The calibration is None if no judge graded a labelled output.
    """
    from ...calibration.agreement.calibrate import calibrate  # noqa: PLC0415 - scipy is slow to import
    from ...calibration.comparison.compare import compare  # noqa: PLC0415 - scipy is slow to import
    from ..run_table import table_of  # noqa: PLC0415 - scipy is slow to import

    table = table_of(writer, lexical=True)
    result = calibrate(table)
    calibrated = sum(judge.n > 0 for judge in result.judges.values())
    if not calibrated:
        return None, judges
    if calibrated > 1:
        comparison = compare(table)
        # Judges of different kinds of cases have nothing in common.
        if any(pair.n for pair in comparison.pairs):
            result = msgspec.structs.replace(result, comparison=comparison)
    writer.put_calibration(result)
    p_values = _worse_on_undecided(table, tally)
    return result, [msgspec.structs.replace(use, undecided_worse_p=p_values.get(use.name)) for use in judges]


def _with_jury_votes(
    writer: RunWriter, judges: list[JudgeUse], calibration: Calibration | None
) -> list[JudgeUse]:
    """Return the judges with the number of independent votes of each jury."""
    if not writer.manifest.juries:
        return judges
    from ...calibration.agreement.jury_votes import votes_of_juries  # noqa: PLC0415 - scipy is slow to import
    from ..run_table import table_of  # noqa: PLC0415 - scipy is slow to import

    votes = votes_of_juries(table_of(writer)) if calibration is None else calibration.juries
    return [msgspec.structs.replace(use, jury=votes.get(use.name)) for use in judges]


def _worse_on_undecided(table: Table, tally: Tally) -> dict[str, float]:
    """Return the p-value of each judge that is worse on undecided outputs than on decided ones."""
    from ...calibration.agreement.agreement_by_group import worse_part  # noqa: PLC0415 - scipy is slow to import

    undecided = {
        str(key) for scores in tally.open_scores.values() for part in scores.values() for key in part.keys
    }
    if not undecided:
        return {}
    return worse_part(table, table.item.isin(undecided))


OTHER_REASONS = "for reasons of their own"
"""Key of the reasons that are not counted one by one."""

_MAX_REASONS = 100
"""Number of different reasons that are counted one by one, for each judge and outcome."""


def judge_uses(store: RunStore, prices: PriceList | None = None, *, judged: bool = True) -> list[JudgeUse]:
    """Return the calls and costs of each judge and each splitter, in order of appearance.

    Judges that were asked and have no verdict had nothing to judge; they come last.
    """
    versions = ServedVersions(store)
    uses = [
        msgspec.structs.replace(use, served_by=versions.counts(use.id)) if use.id is not None else use
        for journal in store.journals
        for use in _judge_uses_of(store, store.in_order(journal), prices)
    ]
    return [*uses, *(_unused_judges(store, {use.id for use in uses}) if judged else [])]


def _unused_judges(store: RunStore, used: Container[JudgeId | None]) -> list[JudgeUse]:
    return [
        JudgeUse(name=judge.by, fingerprint=judge.id.fingerprint, id=judge.id, outcomes={})
        for judge in store.roster
        if judge.id not in used and judge.id.kind not in PART_KINDS | {"split"}
    ]


class _JudgeCounts(msgspec.Struct):
    """Counts for one judge."""

    by: str
    outcomes: Counter[Outcome] = msgspec.field(default_factory=Counter)
    spent: Usage = NO_USAGE
    reasons: dict[Outcome, Counter[str]] = msgspec.field(default_factory=dict)

    def add(self, verdict: StoredVerdict) -> None:
        if verdict.spent is not None:
            self.spent += verdict.spent
        self.outcomes[verdict.outcome] += 1
        if verdict.reason:
            reasons = entry(self.reasons, verdict.outcome, Counter)
            # Reasons are counted one by one while there are few: those that quote a reply may all differ.
            is_counted = verdict.reason in reasons or len(reasons) < _MAX_REASONS
            reasons[verdict.reason if is_counted else OTHER_REASONS] += 1


def _judge_uses_of(
    store: RunStore, verdicts: Iterable[StoredVerdict], prices: PriceList | None
) -> list[JudgeUse]:
    judges: dict[Author, _JudgeCounts] = {}
    for verdict in verdicts:
        if verdict.source == "judge":
            entry(judges, verdict.author, partial(_JudgeCounts, verdict.by)).add(verdict)
    return [_use(author, counts, store.roster, prices) for author, counts in judges.items()]


def _use(author: Author, counts: _JudgeCounts, roster: Roster, prices: PriceList | None) -> JudgeUse:
    judge = author if isinstance(author, JudgeId) else None
    record = None if judge is None else roster.get(judge)
    refused = {} if record is None else record.refused
    spent = counts.spent if judge is None else with_dollars(counts.spent, judge.model, prices)
    return JudgeUse(
        name=counts.by,
        refused=[name for name, value in refused.items() if value is None],
        fingerprint="unknown" if judge is None else judge.fingerprint,
        id=judge,
        outcomes=dict(counts.outcomes),
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cached_tokens=spent.cached_tokens,
        from_cache=int(spent.cached),
        reasked=spent.reasked,
        cost=spent.dollars,
        seconds=None if record is None else record.seconds,
        reasons={outcome: dict(counter.most_common()) for outcome, counter in counts.reasons.items()},
    )
