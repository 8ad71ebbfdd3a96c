"""Check whether a certificate still holds for a later run.

Judge and labels must be unchanged, and the anchors must show no drift. A later run over the anchors is called a look.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from ...calibration.arrays import FloatArray, cluster_numbers
from ...calibration.monitoring.drift import drift_evidence, first_alarm, first_drop, paired_drops
from ...calibration.monitoring.look_levels import look_levels
from ...errors import InputError, RecordError
from ...records import JudgeId, MemoryFolder, decode_record, read_records, write_records
from ...records.json_text import encode_json
from ...records.result import ResultOnPage
from ...spelling import command
from ..store.file_names import CERTIFICATES
from ..store.run_store import RunStore
from .certificate import Certificate, DriftTest, is_right
from .judged_run import JudgedRun

_MIN_JUDGED_SHARE = 0.5
"""Share of the anchors that a run must have judged anew to count as a look."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Results of one later run on the anchors.

    Attributes:
        run: Hash of the path of the run's folder, so that the same run is counted once.
        judged: Number of anchors judged anew.
        right: For each anchor, whether the judge was right, or None if it was not judged anew.
        anchors: Hash of the certified anchors; None in looks recorded without it.
    """

    run: str
    judged: int
    right: list[bool | None]
    anchors: str | None = None


class CertificateStatus(ResultOnPage, frozen=True, kw_only=True):
    """Validity of a certificate.

    Attributes:
        valid: True if the certificate holds.
        void: Reasons why it does not.
        notes: Further notes, such as why the run was not a look.
        looks: Number of looks so far.
        drift: Test for drift.
        evidence: Evidence for drift by the e-process after the last look; the alarm is at ``1 / alpha``.
        drop: Drop in accuracy since certification, over all looks; None without a look, or if the certificate does not record the anchors' accuracy.
        p: p-value of the hypothesis of no drop, by the paired test, or None if ``drop`` is None.
        level: p-value at which the paired test finds drift at the last look, or at the first if there is none.
        accuracy: Accuracy on the anchors judged anew in this run, or None if the run was not a look.
    """

    valid: bool
    void: list[str]
    notes: list[str]
    looks: int
    drift: DriftTest
    evidence: float
    drop: float | None
    p: float | None
    level: float
    accuracy: float | None


SIGNED = ".signed.json"
"""Suffix of the file name of a certificate's signed copy."""


def read_certificate(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        InputError: The file cannot be read as a certificate.
    """
    try:
        return decode_record(path.read_bytes(), Certificate)
    except (OSError, RecordError) as error:
        raise InputError(f"cannot be read as a certificate: {error}", path=path) from error


def certificates_of(store: RunStore) -> dict[str, Certificate | InputError]:
    """Read a run folder's certificates of judges that are unchanged, by file name."""
    return {
        name: certificate
        for name, certificate in _certificates_in(store).items()
        if isinstance(certificate, InputError)
        or (certificate.id is not None and store.roster.get(certificate.id) is not None)
    }


def _certificates_in(store: RunStore) -> dict[str, Certificate | InputError]:
    certificates: dict[str, Certificate | InputError] = {}
    for path in [] if isinstance(store.path, MemoryFolder) else sorted(store.path.glob(CERTIFICATES)):
        if path.name.endswith(SIGNED):
            continue
        try:
            certificates[path.name] = read_certificate(path)
        except InputError as error:
            certificates[path.name] = error
    return certificates


def lapsed_certificates(store: RunStore) -> dict[str, Certificate]:
    """Read a run folder's certificates of judges that were parsed again since, by file name."""
    earlier_fingerprints = {
        judge["before"]
        for reparsed in store.manifest.reparsed
        for judge in reparsed["judges"]
        if judge["before"] != judge["after"]
    }
    if not earlier_fingerprints:
        return {}
    unchanged = certificates_of(store)
    return {
        name: certificate
        for name, certificate in _certificates_in(store).items()
        if not isinstance(certificate, InputError)
        and certificate.fingerprint in earlier_fingerprints
        and name not in unchanged
    }


def looks_file(certificate: Path) -> Path:
    """Return the path next to a certificate where looks at its anchors are recorded."""
    return certificate.with_name(f"{certificate.stem}.looks.jsonl")


def check_certificate(path: Path, run: JudgedRun, folder: Path) -> CertificateStatus:
    """Check whether a certificate holds for a later run, and record the run's anchor results.

    Args:
        path: The certificate.
        run: A later run of the same judge, with the anchors among its outputs.
        folder: The run's folder, which identifies the look.

    Raises:
        InputError: The certificate cannot be read.
    """
    certificate = read_certificate(path)
    void, notes = _changed_facts(certificate, run), list[str]()
    recorded_looks = list(read_records(looks_file(path), Look)) if looks_file(path).exists() else []
    looks = [look for look in recorded_looks if _is_look_at(look, certificate)]
    accuracy = None
    if not void:
        look = _make_look(certificate, run, folder)
        refusal = _no_look_reason(look, looks, len(certificate.anchors))
        if refusal is not None:
            notes.append(refusal)
        else:
            looks.append(look)
            write_records(looks_file(path), [*recorded_looks, look])
            accuracy = float(np.nanmean(_right_by_anchor(look)))
    results = [_right_by_anchor(look) for look in looks]
    # For the e-process, an anchor that was not judged counts as right: a missing verdict is no evidence of drift.
    evidence = drift_evidence([np.nan_to_num(result, nan=1.0) for result in results], certificate.accepted)
    drops, p = _accuracy_drops(certificate, results)
    alarm = _drift_finding(certificate, results, evidence, drops, p)
    if alarm is not None:
        void.append(f"the judge has drifted: {alarm}")
    return CertificateStatus(
        valid=not void,
        void=void,
        notes=notes,
        looks=len(looks),
        drift=certificate.drift,
        evidence=float(evidence[-1]) if len(evidence) else 1.0,
        drop=float(drops[-1]) if len(drops) else None,
        p=float(p[-1]) if len(p) else None,
        level=float(look_levels(max(1, len(looks)), certificate.alpha, certificate.replies)[-1]),
        accuracy=accuracy,
    )


def _is_look_at(look: Look, certificate: Certificate) -> bool:
    """Return whether a look is at these anchors, not those of a replaced certificate."""
    same_anchors = look.anchors is None or look.anchors == _anchors_sha256(certificate)
    return same_anchors and len(look.right) == len(certificate.anchors)


def _anchors_sha256(certificate: Certificate) -> str:
    facts = (certificate.fingerprint, certificate.data, certificate.anchors)
    return hashlib.sha256(encode_json(facts)).hexdigest()


def _right_by_anchor(look: Look) -> FloatArray:
    """Return 1 or 0 for each anchor, or NaN if it was not judged anew."""
    return np.array([np.nan if right is None else right for right in look.right], dtype=np.float64)


def _accuracy_drops(certificate: Certificate, looks: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the drop and its p-value after each look.

    Both are empty if the certificate does not record on which anchors the judge was right.
    """
    right_shares = [anchor.right for anchor in certificate.anchors]
    if None in right_shares:
        return np.empty(0), np.empty(0)
    cluster = cluster_numbers(anchor.cluster or anchor.item for anchor in certificate.anchors)
    return paired_drops(np.array(right_shares, dtype=np.float64), looks, cluster)


def _drift_finding(
    certificate: Certificate,
    looks: list[FloatArray],
    evidence: FloatArray,
    drops: FloatArray,
    p: FloatArray,
) -> str | None:
    """Return the finding of drift by the certificate's test, or None if there is none."""
    alpha, accepted = certificate.alpha, certificate.accepted
    if certificate.drift == "e-process":
        look_index = first_alarm(evidence, alpha)
        if look_index is None:
            return None
        return (
            f"on its anchors it is right less often than {accepted:.3f} "
            f"(look {look_index + 1}, evidence {evidence[look_index]:.3g}, alarm at {1 / alpha:g})"
        )
    if certificate.accepted_told:
        # After each look, the mean over all looks so far.
        means = [float(np.nanmean(np.stack(looks[: last + 1]))) for last in range(len(looks))]
        p = np.where(np.array(means) < accepted, p, 1.0)  # a drop to above the accepted accuracy is no drift
    levels = look_levels(len(p), alpha, certificate.replies)
    look_index = first_drop(p, levels)
    if look_index is None:
        return None
    return (
        f"on its anchors it is right less often than when it was certified, by {drops[look_index]:.3f} "
        f"(look {look_index + 1}, p {p[look_index]:.2g}, alarm at {levels[look_index]:.2g})"
    )


def _no_look_reason(look: Look, earlier_looks: Sequence[Look], anchors: int) -> str | None:
    """Return why a run does not count as a look, or None if it does."""
    if look.run in {earlier.run for earlier in earlier_looks}:
        return "this run was counted before; judge the anchors again in another folder for a new look"
    if look.judged < _MIN_JUDGED_SHARE * anchors:
        return (
            f"no look: {look.judged} of {anchors} anchors were judged anew (replies from the cache are not)"
        )
    return None


def _changed_facts(certificate: Certificate, run: JudgedRun) -> list[str]:
    void: list[str] = []
    if not _same_judge(certificate.id, run.id):
        void.append(f"it is about {certificate.judge}, this run was judged by {run.judge}")
    if run.fingerprint != certificate.fingerprint:
        only_parser_changed = {run.fingerprint, certificate.fingerprint} <= set(run.parsed)
        void.append(
            f"the judge's replies are parsed by another version of the parser; parse the runs again ({command('judge', reparse=True)}), and certify again"
            if only_parser_changed
            else "the judge changed: prompt, model, decoding parameters or parser are not those of the certificate"
        )
    if run.served_by != certificate.served_by:
        served_before, served_now = (
            ", ".join(names) or "no other model" for names in (certificate.served_by, run.served_by)
        )
        void.append(f"the endpoint uses another model: {served_now}, was {served_before}")
    labels = {row["item_id"]: row["label"] for row in run.rows}
    relabelled = [
        anchor.item for anchor in certificate.anchors if labels.get(anchor.item, anchor.label) != anchor.label
    ]
    if relabelled:
        void.append(f"the labels of {len(relabelled)} anchors changed, {relabelled[0]} among them")
    return void


def _same_judge(certified_id: JudgeId | None, judged_id: JudgeId | None) -> bool:
    """Return whether both ids are of one judge, whose prompt or parameters may have changed."""
    if certified_id is None or judged_id is None:
        return certified_id == judged_id
    return msgspec.structs.replace(judged_id, fingerprint=certified_id.fingerprint) == certified_id


def _make_look(certificate: Certificate, run: JudgedRun, folder: Path) -> Look:
    right_by_item = {
        row["item_id"]: is_right(row["score"], row["label"], certificate.pass_at)
        for row in run.rows
        if row["score"] is not None and row["item_id"] in run.fresh
    }
    right_on_anchors = [right_by_item.get(anchor.item) for anchor in certificate.anchors]
    run_hash = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Look(
        run=run_hash,
        judged=len(right_on_anchors) - right_on_anchors.count(None),
        right=right_on_anchors,
        anchors=_anchors_sha256(certificate),
    )
