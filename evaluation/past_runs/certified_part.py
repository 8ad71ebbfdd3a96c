"""First stage of a cascade: certify with labels which outputs a judge may decide alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ...calibration.agreement.calibrate import selective_threshold
from ...calibration.corrected_rate.chosen_by_columns import contradiction
from ...calibration.tables.calibration_table import Table
from ...calibration.thresholds.certified_thresholds import bound_of, confidence_of
from ...calibration.thresholds.threshold_results import CertifiedThreshold
from ...errors import InputError, UsageError
from ...records import ItemKey
from ...records.made_scores import reaches
from ...records.verdict import COMPOSITE_KINDS
from ...spelling import command, setting
from ..labelling.label_choice import choices_not_random
from ..run_table import table_of
from ..served_versions import ServedVersions, versions_sentence
from ..store.journal_rows import StoredVerdict
from ..store.manifest import JudgeRecord
from ..store.run_store import RunStore


class CertifiedPart(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs that the judge of a run decides alone, and those sent on to another judge.

    Attributes:
        run: Path of the run.
        judge: Name of its judge.
        max_error: Guaranteed bound on the error rate of the verdicts that are kept.
        certificate: Confidence threshold for keeping a verdict, with its error bound. Counts are of labelled outputs, one per
            cluster; if clusters differ in size, they are drawn by size.
        outputs: Number of outputs that the judge was asked about.
        kept: Number of outputs whose verdict is kept.
        kept_passed: Number of kept outputs that pass.
        ungraded: Number of outputs without a score; they are sent on.
        low: Scores up to this one are kept, or None if nothing is certified.
        high: Scores from this one on are kept, or None if nothing is certified.
        cost: Cost of the judge in US dollars, or None if nothing was spent or a price is unknown.
        inputs: Hashes of the run's inputs.
    """

    run: str
    judge: str
    max_error: float
    certificate: CertifiedThreshold
    outputs: int
    kept: int
    kept_passed: int
    ungraded: int
    low: float | None
    high: float | None
    cost: float | None
    inputs: list[str]

    @property
    def sent_on(self) -> int:
        """Number of outputs that are sent on."""
        return self.outputs - self.kept


class SentOn(NamedTuple):
    """Outputs that are sent on to the next judge, and a summary of those kept."""

    part: CertifiedPart
    items: frozenset[ItemKey]


def sent_on_from(store: RunStore, max_error: float) -> SentOn:
    """Certify which outputs a run's judge may decide alone, at most at this error rate.

    Raises:
        UsageError: Several judges graded it.
        InputError: There is no judge or no label, several versions of a model answered, or the labels are no random sample.
        RunFolderError: The run is not finished, or was changed by hand.
    """
    manifest = store.finished()
    store.require_unedited()
    judge = _only_judge(store)
    _require_one_version(store)
    table = _rows_of_judge(table_of(store), judge)
    if not np.isfinite(table.label).any():
        raise InputError(
            f"no output that {judge.by} graded has a label, which a certificate needs; `{command('review', store.path)}` collects some",
            path=str(store.path),
        )
    _require_random_labels(store, table)
    # One output of each cluster says little about outputs, most of which are in large clusters.
    sizes_differ = bound_of(table) == "clusters"
    certificate = selective_threshold(table, max_error, seed=0, by_size=sizes_differ)
    scores_by_output = _scores_by_output(
        verdict for verdict in store.judge_verdicts() if verdict.author == judge.id
    )
    pass_at = judge.threshold.at
    kept_keys = {
        key for key, scores in scores_by_output.items() if _is_kept(scores, pass_at, certificate.threshold)
    }
    low, high = _kept_bounds(pass_at, certificate.threshold)
    first_scores = [scores_by_output[key][0] for key in kept_keys]
    part = CertifiedPart(
        run=str(store.path),
        judge=judge.by,
        max_error=max_error,
        certificate=certificate,
        outputs=len(scores_by_output),
        kept=len(kept_keys),
        kept_passed=sum(reaches(score, pass_at) for score in first_scores if score is not None),
        ungraded=sum(None in scores for scores in scores_by_output.values()),
        low=low,
        high=high,
        cost=manifest.spent.dollars,
        inputs=list(manifest.identity.get("inputs", ())),
    )
    return SentOn(part, frozenset(scores_by_output.keys() - kept_keys))


def _only_judge(store: RunStore) -> JudgeRecord:
    # Baselines, splitters of statements, and other forms of questions decide no output.
    judges = [judge for judge in store.roster if judge.id.kind not in {"baseline", "split", "form"}]
    # A combined judge's parts graded statements or criteria, or voted in it, so that they do not count as judges.
    judges = [judge for judge in judges if judge.id.kind in COMPOSITE_KINDS] or judges
    if not judges:
        baselines = [judge.by for judge in store.roster if judge.id.kind == "baseline"]
        raise InputError(_no_judge_message(baselines), path=str(store.path))
    if len(judges) > 1:
        raise UsageError(
            f"{setting('unsure_of', store.path)}: it holds verdicts of {', '.join(judge.by for judge in judges)}; the first judge of a cascade needs a run of its own"
        )
    return judges[0]


def _no_judge_message(baselines: Sequence[str]) -> str:
    if not baselines:
        return "no judge graded its outputs"
    suggestion = command("judge", "CASES", outputs="OUTPUTS", judge="JUDGE", model="MODEL")
    return f"only {', '.join(baselines)} graded its outputs, and a baseline may decide nothing alone; `{suggestion}` asks a judge"


def _require_one_version(store: RunStore) -> None:
    """Require that one version of a decision model answered each judge."""
    versions = ServedVersions(store)
    for judge in store.roster:
        if version_counts := versions.counts(judge.id):
            raise InputError(
                f"{versions_sentence(judge.by, version_counts)}; the certificate of a cascade belongs to one",
                path=str(store.path),
            )


def _require_random_labels(store: RunStore, table: Table) -> None:
    """Require that labels are a random sample, as declared and as scores show."""
    systems = table.columns.get("system")
    other_choices = choices_not_random(store.labels, systems=1 if systems is None else len(systems.values))
    if other_choices:
        why = f"its labels were chosen by {' and '.join(other_choices)}"
    elif (p := contradiction(table, table.score).p) is not None:
        why = f"its labelled outputs are unlike the others, so they are no random sample (p {p:.2g})"
    else:
        return
    raise InputError(
        f"{why}; the certificate of a cascade needs labels of a random sample of the judged outputs, of all systems alike, and no others",
        path=str(store.path),
    )


def _rows_of_judge(table: Table, judge: JudgeRecord) -> Table:
    if judge.by not in table.judge.values:
        raise InputError(f"{judge.by} graded no output")
    return table.take(table.judge.codes == table.judge.values.index(judge.by))


def _scores_by_output(verdicts: Iterable[StoredVerdict]) -> Mapping[ItemKey, list[float | None]]:
    """Return the scores of each output, one per repeat."""
    scores: dict[ItemKey, list[float | None]] = {}
    for verdict in verdicts:
        scores.setdefault(verdict.key, []).append(verdict.score)
    return scores


def _is_kept(scores: list[float | None], pass_at: float, threshold: float | None) -> bool:
    """Return whether all repeats are confident enough and agree."""
    graded_scores = np.array([score for score in scores if score is not None], dtype=np.float64)
    if threshold is None or len(graded_scores) < len(scores):
        return False
    is_confident = reaches(confidence_of(graded_scores, pass_at), threshold)
    return bool(np.all(is_confident)) and len(np.unique(reaches(graded_scores, pass_at))) == 1


def _kept_bounds(pass_at: float, threshold: float | None) -> tuple[float | None, float | None]:
    """Return the highest failing and the lowest passing score that is kept."""
    if threshold is None:
        return None, None
    # Confidence is a score's distance from the pass threshold, as a share of the way to 0 or 1.
    return pass_at * (1 - threshold), pass_at + (1 - pass_at) * threshold
