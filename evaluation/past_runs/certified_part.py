"""First stage of a cascade: what a judge may decide alone, by a certificate on labels."""

from __future__ import annotations

import math
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
from ..conclusion.run_results import JudgeUse
from ..labelling.label_choice import choices_not_random
from ..run_table import table_of
from ..served_versions import ServedVersions, versions_sentence
from ..store.journal_rows import StoredVerdict
from ..store.manifest import KnownJudge
from ..store.run_store import RunStore


class CertifiedPart(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs that the judge of a run decides alone, and those sent on to another judge.

    Attributes:
        run: The run.
        judge: Its judge.
        max_error: The error rate that is guaranteed for the verdicts kept.
        certificate: Confidence from which verdicts are kept, with its error bound; counts are of labelled outputs, one per
            cluster, drawn by its size if clusters differ in size.
        outputs: Number of outputs that the judge was asked about.
        kept: Number of outputs on which its verdict is kept.
        kept_passed: Number of these that pass.
        ungraded: Number of outputs without a score, which are sent on.
        low: A score of at most this is kept, or None if nothing is certified.
        high: A score of at least this is kept.
        cost: US dollars that the judge cost, or None if nothing was spent or the price is not known.
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
    """Outputs that are sent on, with what was kept."""

    part: CertifiedPart
    items: frozenset[ItemKey]


def sent_on_from(store: RunStore, max_error: float) -> SentOn:
    """Return what a run's judge may decide alone with at most this error rate, and the rest.

    Raises:
        UsageError: Several judges graded it.
        InputError: There is no judge, no label, several versions of a model answered, or labels are no random sample.
        RunFolderError: The run is not finished, or was changed by hand.
    """
    manifest = store.finished()
    store.require_unedited()
    judge = _only_judge(store)
    _require_one_version(store)
    table = _rows_of(table_of(store), judge)
    if not np.isfinite(table.label).any():
        raise InputError(
            f"no output that {judge.by} graded has a label, which a certificate needs; `{command('review', store.path)}` collects some",
            path=str(store.path),
        )
    _require_random_labels(store, table)
    # One output of each cluster says little about outputs, most of which are in large clusters.
    unequal = bound_of(table) == "clusters"
    certificate = selective_threshold(table, max_error, seed=0, by_size=unequal)
    verdicts = _by_output(verdict for verdict in store.judge_verdicts() if verdict.author == judge.id)
    at = judge.threshold.at
    kept = {key for key, scores in verdicts.items() if _is_kept(scores, at, certificate.threshold)}
    low, high = _band(at, certificate.threshold)
    part = CertifiedPart(
        run=str(store.path),
        judge=judge.by,
        max_error=max_error,
        certificate=certificate,
        outputs=len(verdicts),
        kept=len(kept),
        kept_passed=sum(reaches(each, at) for key in kept if (each := verdicts[key][0]) is not None),
        ungraded=sum(None in scores for scores in verdicts.values()),
        low=low,
        high=high,
        cost=_cost(manifest.judges or []),
        inputs=list(manifest.identity.get("inputs", ())),
    )
    return SentOn(part, frozenset(verdicts.keys() - kept))


def _cost(uses: Iterable[JudgeUse]) -> float | None:
    """Return what a judge cost; a combined judge makes no call, its parts do."""
    costs = [use.cost for use in uses if use.calls]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known and len(known) == len(costs) else None


def _only_judge(store: RunStore) -> KnownJudge:
    judges = [judge for judge in store.roster if judge.id.kind not in {"baseline", "split", "form"}]
    # The parts of a combined judge graded statements, criteria, or for it.
    judges = [judge for judge in judges if judge.id.kind in COMPOSITE_KINDS] or judges
    if not judges:
        baselines = [judge.by for judge in store.roster if judge.id.kind == "baseline"]
        raise InputError(_no_first_judge(baselines), path=str(store.path))
    if len(judges) > 1:
        raise UsageError(
            f"{setting('unsure_of', store.path)}: it holds verdicts of {', '.join(judge.by for judge in judges)}; the first judge of a cascade needs a run of its own"
        )
    return judges[0]


def _no_first_judge(baselines: Sequence[str]) -> str:
    if not baselines:
        return "no judge graded its outputs"
    asked = command("judge", "CASES", outputs="OUTPUTS", judge="JUDGE", model="MODEL")
    return f"only {', '.join(baselines)} graded its outputs, and a baseline may decide nothing alone; `{asked}` asks a judge"


def _require_one_version(store: RunStore) -> None:
    """Refuse judges that several versions of a decision model answered."""
    versions = ServedVersions(store)
    for judge in store.roster:
        if counts := versions.counts(judge.id):
            raise InputError(
                f"{versions_sentence(judge.by, counts)}; the certificate of a cascade belongs to one",
                path=str(store.path),
            )


def _require_random_labels(store: RunStore, table: Table) -> None:
    """Require that labels are a random sample, as declared and as scores show."""
    systems = table.columns.get("system")
    chosen = choices_not_random(store.labels, systems=1 if systems is None else len(systems.values))
    if chosen:
        why = f"its labels were chosen by {' and '.join(chosen)}"
    elif (p := contradiction(table, table.score).p) is not None:
        why = f"its labelled outputs are unlike the others, so they are no random sample (p {p:.2g})"
    else:
        return
    raise InputError(
        f"{why}; the certificate of a cascade needs labels of a random sample of the judged outputs, of all systems alike, and no others",
        path=str(store.path),
    )


def _rows_of(table: Table, judge: KnownJudge) -> Table:
    if judge.by not in table.judge.values:
        raise InputError(f"{judge.by} graded no output")
    return table.take(table.judge.codes == table.judge.values.index(judge.by))


def _by_output(verdicts: Iterable[StoredVerdict]) -> Mapping[ItemKey, list[float | None]]:
    """Return the scores of each output, one per repeat."""
    scores: dict[ItemKey, list[float | None]] = {}
    for verdict in verdicts:
        scores.setdefault(verdict.key, []).append(verdict.score)
    return scores


def _is_kept(scores: list[float | None], pass_at: float, threshold: float | None) -> bool:
    """Return whether all repeats are sure enough, and say the same."""
    known = np.array([score for score in scores if score is not None], dtype=np.float64)
    if threshold is None or len(known) < len(scores):
        return False
    sure = reaches(confidence_of(known, pass_at), threshold)
    return bool(np.all(sure)) and len(np.unique(reaches(known, pass_at))) == 1


def _band(pass_at: float, threshold: float | None) -> tuple[float | None, float | None]:
    """Return the scores from which verdicts are kept, below and above the pass threshold."""
    if threshold is None:
        return None, None
    return pass_at * (1 - threshold), pass_at + (1 - pass_at) * threshold
