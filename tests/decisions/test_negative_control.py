"""The page on decision models: a real model that looks calibrated and knows nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from played_page import ROOT, agrees, play, rewrite

import fiducial as fd
from fiducial.api.audits import load_audit

PAGE = ROOT / "docs" / "decision-models.md"
SHOWN = "http://127.0.0.1:8931/v1"

# The first test plays the whole page, which takes minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def folder(sparrow: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the page once, with the address of the server that runs here."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "data").symlink_to(ROOT / "data")
    beside = {"PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"}  # of the environment with the command
    with patch.dict(os.environ, beside):
        played = play(PAGE.read_text("utf-8").replace(SHOWN, sparrow), folder)
    shown = [(each._replace(command=each.command.replace(sparrow, SHOWN)), text) for each, text in played]
    if os.environ.get("FIDUCIAL_PRINT_ANEW"):
        rewrite(PAGE, shown)
    (folder / "played.json").write_text(json.dumps([[*each, text] for each, text in shown]))
    return folder


def test_the_page_prints_what_it_shows(folder: Path):
    for command, shown, printed in json.loads((folder / "played.json").read_text()):
        assert agrees(shown, printed, rounding=True) or os.environ.get("FIDUCIAL_PRINT_ANEW"), (
            f"$ {command}\n{printed}"
        )


def test_it_looks_calibrated(folder: Path):
    found = fd.calibrate(folder / "judged")
    (judge,) = found.judges.values()
    (scores,) = found.probability.values()
    in_the_large = scores.calibration["calibration_in_the_large"]
    assert in_the_large.low is not None
    assert in_the_large.high is not None
    assert in_the_large.low <= 0 <= in_the_large.high
    ece = judge.statistics["ece"].value
    assert ece is not None
    assert ece < 0.1


def test_calibrate_says_that_it_knows_nothing(folder: Path):
    found = fd.calibrate(folder / "judged", max_error=0.2)
    (judge,) = found.judges.values()
    auroc = judge.statistics["auroc"]
    assert auroc.low is not None
    assert auroc.high is not None
    assert auroc.low <= 0.5 <= auroc.high
    assert "not shown to be better than chance" in str(found) + " ".join(map(str, found.screen()))
    (certificate,) = found.selective.values()
    assert certificate.threshold is None
    # For its errors, not for want of labels: without errors, as many would do.
    assert "are wrong" in str(certificate.undefined)


def test_a_cascade_lets_it_decide_nothing_and_sends_everything_on(folder: Path):
    found = json.loads((folder / "cascade" / "cascade.json").read_text())
    verdicts = (folder / "cascade" / "verdicts.jsonl").read_text("utf-8").splitlines()
    second = [each for each in map(json.loads, verdicts) if each["source"] == "judge"]
    assert (found["kept"], found["low"], found["high"]) == (0, None, None)
    assert "are wrong" in found["certificate"]["undefined"]
    assert len({(each["case_id"], each["system"]) for each in second}) == found["outputs"] == 100


def test_audit_says_so(folder: Path):
    (judge,) = [audit for audit in load_audit(folder / "audit").judges if audit.forms]
    assert {"fails right outputs", "does not read long material", "obeys the material"} <= {
        finding.concern for finding in judge.findings
    }
    (fault,) = [operator for operator in judge.operators if operator.operator == "answer_of_sibling"]
    assert fault.change is not None
    assert fault.change.mean.high is not None
    assert fault.change.mean.high > 0  # not shown to fall
    middle = next(form for form in judge.forms if form.form == "marker_in_middle")
    assert middle.change.low is not None
    assert middle.change.low <= 0
    repeats = next(form for form in judge.forms if form.form == "repeats")
    assert repeats.change.value == 0.0


def test_its_published_card_says_what_it_answers_today(sparrow: str, tmp_path: Path):
    judge = fd.judge("memory_answer", model="sparrow", base_url=sparrow, api="systemone", cache=False)
    card = fd.audit_card(judge, out=tmp_path / "card.json", progress=False)
    (published,) = fd.audit_table(ROOT / "docs" / "cards" / "memory_answer-sparrow.json").cards
    for part in ("id", "served", "kinds", "shares", "operators", "misses", "probabilities"):
        assert getattr(card, part) == getattr(published, part)
