"""Calibration tables of runs: judges' and checkers' verdicts on each output, and labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from ..calibration.label_declarations import LabelDeclaration, LabelsDeclaredBy
from ..calibration.pass_threshold import PassThreshold
from ..calibration.tables.calibration_table import (
    ADDED,
    BASELINE,
    DECIDED,
    DECIDED_BY,
    PERSON,
    JuryMembers,
    Table,
)
from ..calibration.tables.table_files import read_table
from ..errors import InputError
from ..records import (
    FolderPath,
    InputPath,
    JudgeId,
    MemoryFolder,
    ShownNames,
    Verdict,
    read_records,
)
from ..records.score_kinds import ScoreKind
from ..spelling import command, either
from ..tables.column_names import TRIALS_OF_CASE
from ..tables.label_rounds import rounds_of_outputs
from ..tables.label_table import LabelTable
from ..tables.layout import TableForm
from ..tables.standing_labels import standing_labels
from .decided_outputs import DecidedOutputs
from .judging.judge_names import judge_order
from .labelling.adjudications import decisions_on
from .labelling.label_choice import choice_of
from .served_versions import ServedVersions, version_notes
from .store.file_names import VERDICTS
from .store.journal_rows import StoredVerdict
from .store.known_items import part_test
from .store.run_store import RunStore
from .tested_columns import with_tags, with_tested_columns

_ALL_DECIDED = "a checker decided all that judges were asked about: the rate of these outputs is the checker's, and needs no correction"


def _no_judge() -> str:
    ask_command, compare_command = (
        command("run", "CASES", outputs="OUTPUTS", judge="JUDGE"),
        command("compare", "RUN", by="system"),
    )
    return either(
        f"there is no verdict of a judge; `{ask_command}` asks one, `{compare_command}` needs none",
        "no judge graded this run: fd.evaluate(cases, outputs, judges=...) asks one; "
        'fd.compare(run, by="system") needs none',
    )


def read_tables(
    sources: Sequence[FolderPath | InputPath],
    *,
    labels: InputPath | None = None,
    adjudications: InputPath | None = None,
    draw: Sequence[Path] = (),
    open_only: bool = False,
    outputs: bool = False,
    lexical: bool = False,
    accept_edited: bool = False,
    checked_again: bool = False,
    form: TableForm | None = None,
) -> Table:
    """Read one calibration table from files and run folders; see `read_table`.

    Args:
        sources: Files of rows, and run folders.
        labels: Verdicts whose scores are labels.
        adjudications: Verdicts that decide between judge and label, in addition to those in the runs.
        draw: Files with the probabilities by which items were drawn for labelling.
        open_only: Read only the undecided outputs of runs. Decided ones differ from them: their labels calibrate a judge, but would
            correct its rate on undecided outputs confidently and wrongly.
        outputs: Read all outputs of runs, judged or not, with the checker's decision as ``checker_score``.
        lexical: Add the word overlap baseline's scores of labelled outputs, for runs whose inputs still exist.
        accept_edited: Also read runs that were changed by hand.
        form: Options for columns and grades in files.
        checked_again: Repeat a sample of the checkers' decisions in runs, if their inputs still exist.

    Raises:
        InputError: A file cannot be read or a row cannot be used; names file, line and field.
        MissingExtraError: A Parquet file, and pyarrow is not installed.
        RunFolderError: A run was changed by hand.
        RecordError: A verdict is not the one that its checker gives.
    """
    with ExitStack() as exits:
        tables_or_files = [
            RunRows(
                exits.enter_context(RunStore(source)), open_only=open_only, outputs=outputs, by_version=True
            )
            if isinstance(source, MemoryFolder) or (isinstance(source, Path) and source.is_dir())
            else source
            for source in sources
        ]
        runs = [rows.store for rows in tables_or_files if isinstance(rows, RunRows)]
        for run in runs if not accept_edited else ():
            run.require_unedited()
            if checked_again:
                from .checking.verify import require_right_checks_of  # noqa: PLC0415 - checkers are slow to import

                require_right_checks_of(run)
        table = read_table(tables_or_files, labels=labels, draw=draw, form=form)
        table = replace(
            _with_order(table, runs),
            decisions=decisions_on(runs, adjudications),
            undecided_only=open_only and any(map(_has_checked, runs)),
            labels_chosen_by=_label_choice(
                tables_or_files, runs, labels, None if open_only or outputs else table
            ),
            warnings=(*table.warnings, *(note for run in runs for note in version_notes(run))),
        )
        table = with_tags(with_juries(table, runs), runs, () if form is None else form.tags)
        if outputs or open_only:
            table = with_tested_columns(table, runs, () if form is None else form.tags)
        return _with_word_overlap(table, runs) if lexical else table


def _label_choice(
    sources: Sequence[object],
    runs: Sequence[RunStore],
    labels: InputPath | None,
    judged: Table | None = None,
) -> LabelsDeclaredBy | None:
    """Return how outputs were chosen for labels, as the labels of runs and of a file declare.

    None if they declare nothing, or if the labels of some ``judged`` outputs are checkers' grades.
    """
    if len(runs) < len(sources) or isinstance(labels, LabelTable):
        return None  # rows of a table do not tell how they were chosen
    added_labels = () if labels is None else read_records(labels, Verdict)
    all_labels = list(chain(*(run.labels for run in runs), added_labels))
    choice = choice_of(all_labels)
    if choice is None or judged is None:
        return choice
    return choice if judged.labelled_items() <= {str(label.key) for label in all_labels} else None


def with_juries(table: Table, stores: Sequence[RunStore]) -> Table:
    """Return the table with the juries of runs.

    A jury with the rule ``escalate`` is left out, since only one member's verdict counts.
    """
    names = {judge: name for name, judge in table.judges.items()}
    juries = [jury for store in stores for jury in store.manifest_or_empty.juries]
    members_of_jury: dict[str, JuryMembers] = {}
    for jury in juries:
        if jury.id in names and jury.rule != "escalate":
            weights = zip(jury.members, jury.weights, strict=True)
            weight_of = {names[member.id]: weight for member, weight in weights if member.id in names}
            members_of_jury[names[jury.id]] = JuryMembers(weight_of, by_score=jury.rule == "mean")
    return replace(table, juries=members_of_jury) if members_of_jury else table


def _has_checked(store: RunStore) -> bool:
    return any(verdict.graded and verdict.source == "checker" for verdict in store.other_verdicts())


def systems_table(store: RunStore, declared: LabelDeclaration | None = None) -> Table:
    """Return a run's calibration table with all outputs, judged or not, to compare its systems.

    ``declared`` is how outputs were chosen for labels; by default, what the labels declare.
    """
    chosen_by = declared or choice_of(store.labels)
    table = replace(read_table([RunRows(store, outputs=True)]), labels_chosen_by=chosen_by)
    return _with_order(with_tested_columns(table, [store]), [store])


def _with_order(table: Table, stores: Sequence[RunStore]) -> Table:
    names = {judge: name for name, judge in table.judges.items()}
    order = dict.fromkeys(judge for store in stores for judge in judge_order(store.roster, store.calibration))
    return replace(table, preferred=[names[judge] for judge in order if judge in names])


def table_of(store: RunStore, *, lexical: bool = False) -> Table:
    """Return a run's calibration table: judges' verdicts and labels.

    Labels are those of ``labels.jsonl``, else the checkers' grades.
    """
    table = with_juries(read_table([RunRows(store)]), [store])
    table = replace(table, labels_chosen_by=_label_choice([store], [store], None, table))
    if store.adjudications:
        table = replace(table, decisions=decisions_on([store]))
    return _with_word_overlap(table, [store]) if lexical else table


def _with_word_overlap(table: Table, stores: Sequence[RunStore]) -> Table:
    from .conclusion.lexical_baseline import lexical_scores  # noqa: PLC0415 - judges are slow to import, and seldom needed

    name = f"{BASELINE}lexical"
    if not stores or name in table.numbers:
        return table
    labelled = table.labelled_items()
    scores = {item: score for store in stores for item, score in lexical_scores(store, labelled).items()}
    return table.with_numbers(name, scores) if scores else table


class RunRows(msgspec.Struct, frozen=True):
    """Rows of a run for a table: one per judge, output and repeat; see `read_tables`."""

    store: RunStore
    open_only: bool = False
    outputs: bool = False
    by_version: bool = False

    @property
    def path(self) -> FolderPath:
        """Address of the run, for messages."""
        return self.store.path

    @property
    def thresholds(self) -> Mapping[JudgeId, PassThreshold]:
        """Pass threshold of each judge: the run's override, or the one it declares."""
        return {judge.id: judge.threshold for judge in self.store.roster}

    @property
    def score_kinds(self) -> Mapping[JudgeId, ScoreKind]:
        """Kind of the scores of each judge that declares it."""
        return {judge.id: judge.scores for judge in self.store.roster if judge.scores is not None}

    @property
    def labels(self) -> Sequence[Verdict]:
        """Labels of the run, without its checkers' decisions."""
        return self.store.labels

    def rows(self, names: ShownNames) -> Iterator[dict[str, Any]]:
        """Yield the rows.

        Raises:
            InputError: No judge has given a verdict, or none on the undecided part.
        """
        self.store.require_no_pairs()
        if self.outputs:
            return output_rows(self.store, names, by_version=self.by_version)
        return run_rows(self.store, names, open_only=self.open_only, by_version=self.by_version)


def run_rows(
    store: RunStore,
    names: ShownNames | None = None,
    *,
    open_only: bool = False,
    by_version: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield one row per judge, output and repeat, with its label; see `RunRows.rows`.

    With ``by_version``, versions of a decision model are judges of their own, otherwise values of a column.
    """
    names, decided, versions = names or ShownNames(), DecidedOutputs(store), ServedVersions(store)
    standing = store.verdicts.standing
    if "judge" not in standing.sources:
        raise InputError(_no_judge(), path=str(store.path / VERDICTS))
    label_by_item, grades_by_item = _labels_and_grades(store)
    rounds = rounds_of_outputs(store.labels)
    trials = standing.trials_by_case()
    all_decided = True
    for verdict in store.judge_verdicts():
        version = versions.of(verdict)
        judge = names.of(verdict.author, verdict.by, version if by_version else "")
        checked = decided.graded(verdict.key)
        by_person = checked is not None and checked.source == "human"
        if open_only and checked is not None and not by_person:
            continue
        all_decided = False
        item = str(verdict.key)
        label = label_by_item.get(item, checked)
        row = _judged_row(item, judge, verdict, store.clusters) | {
            "label": None if label is None else label.score,
            "outcome": verdict.outcome,
            "label_by": None if label is None else label.by,
            "error_type": None if label is None else label.error_type,
        }
        if version and not by_version:
            row["served_by"] = version
        if item in label_by_item:
            row[ADDED] = rounds[verdict.key]
        if trials:
            row[TRIALS_OF_CASE] = trials[verdict.key.system, verdict.key.case_id]
        if item in label_by_item and checked is not None and not by_person:
            row[f"{BASELINE}checker"] = checked.score
        yield row | _people_columns(grades_by_item.get(item))
    if all_decided:
        raise InputError(_ALL_DECIDED, path=str(store.path))


def output_rows(
    store: RunStore, names: ShownNames | None = None, *, by_version: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield a run's rows by output: the checker's decision, judges' verdicts, and labels.

    An undecided output has its label instead of a decision. An output that no judge was asked about has one row, without a score.
    """
    names, decided, is_part = (
        names or ShownNames(),
        DecidedOutputs(store),
        part_test(store.verdicts.standing, store.roster),
    )
    label_by_item, grades_by_item = _labels_and_grades(store)
    rounds = rounds_of_outputs(store.labels)
    versions = ServedVersions(store) if by_version else None
    for verdict in store.judge_verdicts():
        judge = names.of(verdict.author, verdict.by, "" if versions is None else versions.of(verdict))
        if is_part(verdict.key):
            continue
        item = str(verdict.key)
        decision = _decision_columns(decided.on(verdict.key), label_by_item.get(item)) | _people_columns(
            grades_by_item.get(item)
        )
        if item in label_by_item:
            decision[ADDED] = rounds[verdict.key]
        yield _judged_row(item, judge, verdict, store.clusters) | {"outcome": verdict.outcome} | decision
    for verdict in store.other_verdicts():
        if (unjudged := decided.unjudged(verdict)) is not None:
            item, (case, system, _) = str(verdict.key), verdict.key
            row = {
                "item_id": item,
                "judge": unjudged.by,
                "score": None,
                "cluster": store.clusters.get(case, case),
                "system": system,
            }
            yield (
                row
                | _decision_columns(unjudged, label_by_item.get(item))
                | _people_columns(grades_by_item.get(item))
            )


def _judged_row(item: str, judge: str, verdict: StoredVerdict, clusters: Mapping[str, str]) -> dict[str, Any]:
    case, system, _ = verdict.key
    spent = verdict.spent
    return {
        "item_id": item,
        "judge": judge,
        "score": verdict.score,
        "cluster": clusters.get(case, case),
        "system": system,
        "repeat": verdict.repeat,
        "calls": None if spent is None else spent.calls,
        "prompt_tokens": None if spent is None else spent.prompt_tokens,
        "completion_tokens": None if spent is None else spent.completion_tokens,
    }


def _decision_columns(checked: StoredVerdict | None, label: Verdict | None) -> dict[str, Any]:
    if checked is not None and checked.graded:
        return {"label": None, DECIDED: checked.score, DECIDED_BY: checked.by}
    return {"label": None if label is None else label.score, DECIDED: None, DECIDED_BY: None}


def _people_columns(grades: Mapping[str, float] | None) -> dict[str, float]:
    return {f"{PERSON}{name}": score for name, score in (grades or {}).items()}


def _labels_and_grades(store: RunStore) -> tuple[dict[str, Verdict], dict[str, dict[str, float]]]:
    """Return the standing label by item, and people's last labels by item and person."""
    label_by_item = {str(key): label for key, label in standing_labels(store.labels).items()}
    grades_by_item: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for label in store.labels:
        if label.score is not None and label.source == "human":
            grades_by_item[str(label.key)][label.by] = label.score
    return label_by_item, grades_by_item
