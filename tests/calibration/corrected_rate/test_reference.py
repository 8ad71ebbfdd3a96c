"""Corrected rates against what the authors' own code computed on real judges."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from known_numbers import ends_of, half_width

from fiducial.calibration import estimate, table_from_rows

pytestmark = pytest.mark.reference

CASES = [("devai", None, 100), ("devai", None, 300), ("summhay", "gpt-4o", 100), ("summhay", "gpt-4o", 300)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def case(reference: Path, request: pytest.FixtureRequest) -> tuple[list[dict[str, Any]], Any]:
    """Rows with the labels of a random part only, and the expected estimates."""
    name, judge, n = request.param
    folder = reference / "calibration" / name
    rows = [json.loads(line) for line in (folder / "data.jsonl").read_text().splitlines()]
    rows = [row for row in rows if judge is None or row["judge"] == judge]
    by_digest = sorted(
        {row["item_id"] for row in rows}, key=lambda item: hashlib.sha1(item.encode()).hexdigest()
    )
    labelled = set(by_digest[:n])
    kept = [
        {key: row[key] for key in ("item_id", "judge", "score", "cluster")}
        | {"label": row["label"] if row["item_id"] in labelled else None}
        for row in rows
    ]
    expected = json.loads((folder / "expected.json").read_text())["prevalence_correction"]
    return kept, expected[f"n={n}" if judge is None else f"{judge}|n={n}"]


def test_wald_estimates_agree(case: tuple[list[dict[str, Any]], Any]) -> None:
    rows, expected = case
    result = estimate(table_from_rows(rows), interval="wald")["all"]
    estimates = result.estimates
    assert (result.n_labelled, result.n_unlabelled) == (expected["n_labelled"], expected["n_unlabelled"])
    assert result.weight == pytest.approx(expected["ppi_pp_lambda"], abs=1e-9)
    assert estimates["labels_only"].value == pytest.approx(expected["classical_mean"], abs=1e-9)
    assert ends_of(estimates["labels_only"]) == pytest.approx(expected["classical_ci95"], abs=1e-9)
    assert estimates["ppi"].value == pytest.approx(expected["ppi_lam1"], abs=1e-9)
    assert ends_of(estimates["ppi"]) == pytest.approx(expected["ppi_lam1_ci95"], abs=1e-9)
    assert estimates["ppi_plus_plus"].value == pytest.approx(expected["ppi_pp"], abs=1e-9)
    assert ends_of(estimates["ppi_plus_plus"]) == pytest.approx(expected["ppi_pp_ci95"], abs=1e-9)


def test_the_default_interval_knows_clusters(case: tuple[list[dict[str, Any]], Any]) -> None:
    rows, _ = case
    independent = [row | {"cluster": None} for row in rows]
    ours, theirs = (
        estimate(table_from_rows(none))["all"].estimates["ppi_plus_plus"] for none in (rows, independent)
    )
    assert ours.value == theirs.value
    assert half_width(ours) > half_width(theirs)


def test_post_stratified_and_rogan_gladen_agree(case: tuple[list[dict[str, Any]], Any]) -> None:
    rows, expected = case
    independent = [row | {"cluster": None} for row in rows]
    estimates = estimate(table_from_rows(independent))["all"].estimates
    if "post_stratified" not in expected:
        assert estimates["rogan_gladen"].undefined is not None  # labels are fractions here
        return
    stratified, corrected = estimates["post_stratified"], estimates["rogan_gladen"]
    assert stratified.value == pytest.approx(expected["post_stratified"]["estimate"], abs=1e-9)
    assert ends_of(stratified) == pytest.approx(expected["post_stratified"]["ci95_logit"], abs=1e-9)
    assert corrected.value == pytest.approx(expected["rogan_gladen"]["estimate"], abs=1e-9)
    assert ends_of(corrected) == pytest.approx(expected["rogan_gladen"]["ci95_lang_reiczigel"], abs=1e-9)
