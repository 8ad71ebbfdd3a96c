"""Is a certificate still valid? The judge must be the same, the labels too, and the anchors must not speak of drift."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from ...calibration.monitoring.e_process import drift_evidence, first_alarm
from ...errors import InputError
from ...records import JudgeId, read_records, write_records
from .certificate import Certificate, JudgedRun, is_right

_FEWEST = 0.5
"""A run that has not judged this share of the anchors is no look at them."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One run over the anchors.

    Attributes:
        run: Which run it was; the same run is counted once.
        judged: How many anchors it judged anew.
        right: For each anchor, whether the judge was right; true for one that was not judged anew, so that nothing is
            made of what is missing.
    """

    run: str
    judged: int
    right: list[bool]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a certificate stands.

    Attributes:
        valid: Whether it does.
        void: Why not.
        notes: What else is to be said.
        looks: How many runs over the anchors there were.
        evidence: For drift, after the last look; an alarm is ``1 / alpha``.
        accuracy: On the anchors in this run; None where it was no look.
    """

    valid: bool
    void: list[str]
    notes: list[str]
    looks: int
    evidence: float
    accuracy: float | None


def read_certificate(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        InputError: It cannot be read as one.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Certificate)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"cannot be read as a certificate: {error}", path=path) from error


def looks_file(certificate: Path) -> Path:
    """Where the looks at a certificate's anchors are kept: beside it."""
    return certificate.with_name(f"{certificate.stem}.looks.jsonl")


def check_certificate(path: Path, run: JudgedRun, folder: Path) -> Standing:
    """See whether a certificate holds for a later run of its judge, and keep what the run says of the anchors.

    Args:
        path: The certificate.
        run: The later run, over outputs that include the anchors.
        folder: Its folder, which names the look.

    Returns:
        How the certificate stands.

    Raises:
        InputError: The certificate cannot be read.
    """
    certificate = read_certificate(path)
    void, notes = _changes(certificate, run), list[str]()
    looks = list(read_records(looks_file(path), Look)) if looks_file(path).exists() else []
    accuracy = None
    if not void:
        look = _look(certificate, run, folder)
        refusal = _why_no_look(look, looks, len(certificate.anchors))
        if refusal is not None:
            notes.append(refusal)
        else:
            looks.append(look)
            write_records(looks_file(path), looks)
            accuracy = float(np.mean(look.right))
    evidence = drift_evidence(
        [np.array(look.right, dtype=np.float64) for look in looks], certificate.accepted
    )
    alarm = first_alarm(evidence, certificate.alpha)
    if alarm is not None:
        void.append(
            f"the judge has drifted: on its anchors it is right less often than {certificate.accepted:.3f} "
            f"(look {alarm + 1}, evidence {evidence[alarm]:.3g}, alarm at {1 / certificate.alpha:g})"
        )
    return Standing(
        valid=not void,
        void=void,
        notes=notes,
        looks=len(looks),
        evidence=float(evidence[-1]) if len(evidence) else 1.0,
        accuracy=accuracy,
    )


def _why_no_look(look: Look, before: Sequence[Look], anchors: int) -> str | None:
    if look.run in {earlier.run for earlier in before}:
        return "this run was counted before; judge the anchors again in another folder for a new look"
    if look.judged < _FEWEST * anchors:
        return (
            f"no look: {look.judged} of {anchors} anchors were judged anew (replies from the cache are not)"
        )
    return None


def _changes(certificate: Certificate, run: JudgedRun) -> list[str]:
    """What is not as it was when the certificate was issued."""
    void: list[str] = []
    if not _same_judge(certificate.id, run.id):
        void.append(f"it is about {certificate.judge}, this run was judged by {run.judge}")
    if run.fingerprint != certificate.fingerprint:
        void.append(
            "the judge changed: prompt, model, decoding parameters or parser are not those of the certificate"
        )
    if run.served_by != certificate.served_by:
        before, now = (
            ", ".join(names) or "no other model" for names in (certificate.served_by, run.served_by)
        )
        void.append(f"the endpoint uses another model: {now}, was {before}")
    labels = {row["item_id"]: row["label"] for row in run.rows}
    changed = [
        anchor.item for anchor in certificate.anchors if labels.get(anchor.item, anchor.label) != anchor.label
    ]
    if changed:
        void.append(f"the labels of {len(changed)} anchors changed, {changed[0]} among them")
    return void


def _same_judge(certified: JudgeId | None, judged: JudgeId | None) -> bool:
    """Whether they are the same judge, though one may have changed."""
    if certified is None or judged is None:
        return certified == judged
    return msgspec.structs.replace(judged, fingerprint=certified.fingerprint) == certified


def _look(certificate: Certificate, run: JudgedRun, folder: Path) -> Look:
    judged = {
        row["item_id"]: is_right(row, certificate.pass_at)
        for row in run.rows
        if row["score"] is not None and row["item_id"] in run.fresh
    }
    right = [judged.get(anchor.item, True) for anchor in certificate.anchors]
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Look(run=name, judged=sum(anchor.item in judged for anchor in certificate.anchors), right=right)
