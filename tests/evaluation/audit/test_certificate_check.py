"""Certificates against later runs: the named test, what it accepts, and old certificates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from fiducial.errors import InputError
from fiducial.evaluation.audit import certificate
from fiducial.evaluation.audit.certificate import Certificate, DriftTest, certify
from fiducial.evaluation.audit.certificate_check import CertificateStatus, check_certificate, looks_file
from fiducial.evaluation.audit.judged_run import JudgedRun
from fiducial.records import write_json


def run_of(right: Sequence[bool | None]) -> JudgedRun:
    """Return a run of forty right outputs with the judge's verdicts; None is not judged anew."""
    rows: list[dict[str, Any]] = [
        {"item_id": f"c{n:02}|s|0", "label": 1.0, "score": float(bool(each)), "cluster": f"c{n:02}"}
        for n, each in enumerate(right)
    ]
    fresh = frozenset(row["item_id"] for row, each in zip(rows, right, strict=True) if each is not None)
    return JudgedRun("j@m", None, rows, fresh, [])


def issued(
    path: Path, right: Sequence[bool], *, drift: DriftTest = "paired", accepted: float | None = None
) -> Path:
    """Certify a run, without the simulation of its foresight, which no check reads."""
    with patch.object(certificate, "drift_power", return_value=None):
        found = certify(run_of(right), {"accuracy": 0.5}, issued="today", drift=drift, accepted=accepted)
    write_json(path / "c.json", found)
    return path / "c.json"


def standing(certificate: Path, right: Sequence[bool | None], name: str = "next") -> CertificateStatus:
    return check_certificate(certificate, run_of(right), certificate.parent / name)


MOSTLY_RIGHT = [True] * 38 + [False] * 2
WORSE = [True] * 28 + [False] * 12


def test_a_drop_below_the_certified_run_is_drift(tmp_path: Path) -> None:
    found = standing(issued(tmp_path, MOSTLY_RIGHT), WORSE)
    assert found.drop == pytest.approx(0.25)
    assert found.p is not None
    assert found.p < found.level
    assert [reason for reason in found.void if "than when it was certified, by 0.250" in reason]


def test_a_judge_that_repeats_its_verdicts_is_never_said_to_have_drifted(tmp_path: Path) -> None:
    made = issued(tmp_path, WORSE, accepted=0.7)
    *_, found = [standing(made, WORSE, f"run-{look}") for look in range(5)]
    assert found.valid
    assert (found.looks, found.drop, found.p) == (5, 0.0, pytest.approx(0.5))


def test_a_drop_that_stays_above_what_is_accepted_is_none(tmp_path: Path) -> None:
    made = issued(tmp_path, MOSTLY_RIGHT, accepted=0.6)
    assert standing(made, WORSE).valid
    assert not standing(made, [False] * 40, "collapse").valid


def test_by_the_e_process_drift_is_an_accuracy_below_the_accepted(tmp_path: Path) -> None:
    made = issued(tmp_path, WORSE, drift="e-process", accepted=0.9)
    found = standing(made, WORSE)
    assert found.evidence > 20
    assert [reason for reason in found.void if "less often than 0.900" in reason]


def test_an_anchor_is_as_right_as_its_replies_were_and_more_of_them_show_more(tmp_path: Path) -> None:
    often = run_of(MOSTLY_RIGHT)
    often = often._replace(scores={row["item_id"]: [row["score"], 1.0, 0.0, 1.0] for row in often.rows})
    with patch.object(certificate, "drift_power", return_value=None) as foretold:
        found = certify(often, {"accuracy": 0.5}, issued="today")
    foretold.assert_called_once_with(pytest.approx(0.7375), 40, replies=4.0)
    assert found.replies == 4.0
    assert [anchor.right for anchor in found.anchors] == [0.75] * 38 + [0.5] * 2
    before = certify(run_of(MOSTLY_RIGHT), {"accuracy": 0.5}, issued="today")
    assert (before.replies, {anchor.right for anchor in before.anchors}) == (1.0, {0.0, 1.0})
    assert before.claims == found.claims
    assert before.foresight is not None
    assert before.foresight.found < 0.7
    assert before.foresight.anchors > 40
    write_json(tmp_path / "c.json", found)
    shown = standing(tmp_path / "c.json", MOSTLY_RIGHT)
    assert shown.drop == pytest.approx(0.7375 - 0.95)
    assert shown.level < standing(issued(tmp_path, MOSTLY_RIGHT), MOSTLY_RIGHT).level


def test_what_was_not_judged_anew_says_nothing_of_drift(tmp_path: Path) -> None:
    found = standing(issued(tmp_path, MOSTLY_RIGHT), [True] * 25 + [None] * 15)
    assert found.valid
    assert (found.accuracy, found.drop) == (1.0, 0.0)


def test_a_certificate_from_before_goes_by_the_e_process(tmp_path: Path) -> None:
    path = issued(tmp_path, MOSTLY_RIGHT)
    kept = json.loads(path.read_text())
    for name in ("drift", "accepted_told"):
        del kept[name]
    for anchor in kept["anchors"]:
        del anchor["right"], anchor["cluster"]
    path.write_text(json.dumps(kept))
    looks_file(path).write_text(json.dumps({"run": "a", "judged": 40, "right": [True] * 40}) + "\n")
    found = standing(path, WORSE)
    assert msgspec.json.decode(path.read_bytes(), type=Certificate).drift == found.drift == "e-process"
    assert (found.looks, found.p) == (2, None)


@pytest.mark.parametrize("content", [b'{"judge": "\xff"}', b'{"x": ' + b"[" * 100_000], ids=["bytes", "deep"])
def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.json").write_bytes(content)
    with pytest.raises(InputError, match=r"c\.json: cannot be read as a certificate"):
        standing(tmp_path / "c.json", MOSTLY_RIGHT)


@pytest.mark.parametrize("judged_again", [WORSE, WORSE[:-1]], ids=["as many anchors", "fewer anchors"])
def test_looks_at_a_replaced_certificate_do_not_count(tmp_path: Path, judged_again: list[bool]) -> None:
    assert not standing(issued(tmp_path, MOSTLY_RIGHT), WORSE).valid
    found = standing(issued(tmp_path, judged_again), judged_again, "later")
    assert (found.valid, found.looks, found.drop) == (True, 1, 0.0)


def test_looks_count_when_the_same_run_is_certified_again(tmp_path: Path) -> None:
    standing(issued(tmp_path, MOSTLY_RIGHT), WORSE)
    assert standing(issued(tmp_path, MOSTLY_RIGHT), MOSTLY_RIGHT, "later").looks == 2


def test_anchors_that_were_not_judged_again_are_no_evidence_of_drift(tmp_path: Path) -> None:
    found: list[CertificateStatus] = []
    for name, rest in (("unjudged", None), ("right", True)):
        (tmp_path / name).mkdir()
        certificate = issued(tmp_path / name, MOSTLY_RIGHT, drift="e-process", accepted=0.9)
        found.append(standing(certificate, [True] * 25 + [rest] * 15))
    unjudged, right = found
    assert unjudged.valid
    assert (unjudged.evidence, unjudged.accuracy) == (pytest.approx(right.evidence), 1.0)
