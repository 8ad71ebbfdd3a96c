"""Pass thresholds: used everywhere, given or declared or 0.5, and named where not 0.5."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from known_numbers import printed, value_of
from msgspec import structs, to_builtins

from fiducial.calibration import Calibration, calibrate, compare, estimate, table_from_rows
from fiducial.calibration.agreement.calibrate import Requests
from fiducial.calibration.pass_threshold import PassThreshold, overridden_threshold, threshold_overrides
from fiducial.calibration.tables.calibration_table import Table
from fiducial.cli.calibrate import command
from fiducial.errors import UsageError
from fiducial.report.document import as_lines
from fiducial.report.text.comparison_text import comparison_document

OWN = {"share": PassThreshold(1.0, "declared")}
"""A judge that passes only what is right in full."""

ITEMS = [(0.5, 0.0), (0.9, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.4, 0.0)] * 5
"""Score and label: at 0.5 five of six pass, at 1 half of them."""


def rows_of(judge: str, pairs: list[tuple[float, float]] | None = None) -> list[dict[str, Any]]:
    return [
        {"item_id": f"i{number}", "judge": judge, "score": score, "label": label}
        for number, (score, label) in enumerate(pairs or ITEMS)
    ]


def table_of(*judges: str, thresholds: dict[str, PassThreshold] | None = None) -> Table:
    rows = [row for judge in judges for row in rows_of(judge)]
    return replace(table_from_rows(rows), thresholds=OWN if thresholds is None else thresholds)


def counts(result: Calibration, judge: str) -> list[int]:
    panel = result[judge]
    return [panel.tp, panel.fp, panel.fn, panel.tn]


def test_each_judge_is_held_to_its_own_threshold():
    result = calibrate(table_of("share", "other"))
    assert counts(result, "share") == [10, 5, 0, 15]
    assert counts(result, "other") == [10, 15, 0, 5]
    assert result["share"].pass_at == 1.0
    assert result["share"].pass_at_source == "declared"
    assert result["other"].pass_at == 0.5
    assert result.pass_at is None


def test_what_is_told_goes_before_what_is_declared():
    everywhere = calibrate(table_of("share", "other"), pass_at=0.95)
    assert counts(everywhere, "share") == counts(everywhere, "other") == [10, 5, 0, 15]
    assert everywhere.pass_at == 0.95
    assert everywhere["share"].pass_at_source == "told"
    one = calibrate(table_of("share", "other"), pass_at={"other": 1.0})
    assert one["share"].pass_at_source == "declared"
    assert counts(one, "other") == [10, 5, 0, 15]


def test_every_threshold_is_named_with_its_source():
    lines = printed(calibrate(table_of("share", "other"))).splitlines()
    (share,) = (line for line in lines if line.startswith("share:"))
    assert share.endswith("; threshold 1 (its own)")
    (other,) = (line for line in lines if line.startswith("other:"))
    assert other.endswith("; threshold 0.5 (default)")


def test_a_label_between_0_and_1_passes_where_the_score_does():
    pairs = [(0.6, 0.6), (1.0, 1.0), (0.2, 0.2), (0.6, 1.0)] * 5
    table = replace(table_from_rows(rows_of("share", pairs)), thresholds=OWN)
    assert counts(calibrate(table), "share") == [5, 0, 5, 10]
    assert counts(calibrate(table, pass_at=0.5), "share") == [15, 0, 0, 5]


def test_all_that_takes_two_verdicts_goes_by_the_judges_own_threshold():
    table = table_of("share", "other", "third")
    asked = Requests(
        audit={"i0": 0.0, "i3": 1.0}, max_error=0.45, cascade=["share", "other"], threshold_for="accuracy"
    )
    own, told = calibrate(table, requests=asked), calibrate(table, pass_at={"share": 1.0}, requests=asked)
    assert told["share"].pass_at_source == "told"
    for calibration in (own, told):
        calibration.judges["share"] = structs.replace(calibration["share"], pass_at_source="default")
    assert own == told
    half = calibrate(table, pass_at=0.5)
    assert len(own.suspected_label_errors) < len(half.suspected_label_errors)
    assert own.dawid_skene != half.dawid_skene


def test_the_baselines_of_judges_with_different_thresholds_are_of_what_passes():
    rows = rows_of("share", [(0.6, 0.6)] * 10) + [
        row | {"item_id": f"x{row['item_id']}"} for row in rows_of("other", [(0.6, 0.6)] * 10)
    ]
    table = replace(table_from_rows(rows), thresholds=OWN)
    assert calibrate(table).baselines["always_pass"].accuracy.value == 0.5


def test_an_estimate_goes_by_the_threshold_of_its_judge():
    table = table_of("share")
    half = replace(table, label=np.where(np.arange(len(table)) % 2, np.nan, table.label))
    found = {at: estimate(half, pass_at=at)["all"].rogan_gladen for at in (None, 1.0, 0.5)}
    assert found[None] == found[1.0] != found[0.5]


class TestComparison:
    def test_each_is_right_by_its_own_threshold(self):
        result = compare(table_of("share", "other"))
        (pair,) = result.pairs
        assert (pair.a_only_right, pair.b_only_right) == (10, 0)
        assert to_builtins(result.cuts) == {
            "share": {"at": 1.0, "source": "declared"},
            "other": {"at": 0.5, "source": "default"},
        }

    @pytest.mark.parametrize("statistic", ["accuracy", "true_negative_rate", "cohen_kappa"])
    def test_the_difference_of_a_statistic_is_that_of_both_panels(self, statistic: str):
        table = table_of("share", "other")
        found = calibrate(table)
        (pair,) = compare(table, statistic=statistic).pairs
        share, other = (value_of(found[name].statistics[statistic]) for name in ("share", "other"))
        assert pair.difference.value == pytest.approx(share - other)

    def test_the_thresholds_are_said_and_a_difference_that_nobody_declared_is_warned_of(self):
        result = compare(table_of("share", "other"))
        assert "share at 1 (its own); other at 0.5 (default)" in next(as_lines(comparison_document(result)))
        (warning,) = (line for line in as_lines(comparison_document(result)) if "thresholds differ" in line)
        assert "share and other (10)" in warning
        assert "pass_at={'JUDGE': SCORE}" in warning

    def test_nothing_is_warned_of_where_both_declare_their_thresholds_or_one_is_told(self):
        both = {"share": PassThreshold(1.0, "declared"), "other": PassThreshold(0.5, "declared")}
        for found in (
            compare(table_of("share", "other", thresholds=both)),
            compare(table_of("share", "other"), pass_at={"other": 0.5}),
        ):
            assert "threshold_not_declared" not in {caution.code for caution in found.cautions}

    def test_nor_where_the_threshold_decides_nothing(self):
        rows = rows_of("share") + rows_of("other", [(float(score >= 1), label) for score, label in ITEMS])
        table = replace(table_from_rows(rows), thresholds=OWN)
        assert not [caution for caution in compare(table).cautions if "cut" in caution.kind]

    def test_labels_between_two_thresholds_are_warned_of(self):
        rows = [
            row
            for judge in ("share", "other")
            for row in rows_of(judge, [(0.7, 0.7), (1.0, 1.0), (0.1, 0.1)] * 5)
        ]
        both = {"share": PassThreshold(1.0, "declared"), "other": PassThreshold(0.5, "declared")}
        cautions = compare(replace(table_from_rows(rows), thresholds=both)).cautions
        assert {caution.code: caution.about for caution in cautions}["labels_between_thresholds"] == {
            "share and other": 5
        }

    def test_systems_are_compared_by_the_threshold_of_who_judged_them(self):
        rows = [
            row | {"system": system, "item_id": f"{row['item_id']}|{system}|0"}
            for system in ("a", "b")
            for row in rows_of("share", [(0.9 if system == "a" else 1.0, 1.0)] * 10)
        ]
        (pair,) = compare(replace(table_from_rows(rows), thresholds=OWN), by="system", right="score").pairs
        assert (pair.a_only_right, pair.b_only_right) == (0, 10)


class TestOverrides:
    @pytest.mark.parametrize(
        ("overrides", "threshold"),
        [
            ({}, PassThreshold(1.0, "declared")),
            ({"": 0.7}, PassThreshold(0.7, "told")),
            ({"": 0.7, "groundedness": 0.9}, PassThreshold(0.9, "told")),
            ({"": 0.7, "groundedness": 0.9, "groundedness/reasons": 0.8}, PassThreshold(0.8, "told")),
            ({"groundedness/reasons@m": 0.6}, PassThreshold(0.6, "told")),
            ({"ground": 0.6}, PassThreshold(1.0, "declared")),
        ],
    )
    def test_the_closest_name_counts(self, overrides: dict[str, float], threshold: PassThreshold):
        own_threshold = PassThreshold(1.0, "declared")
        assert overridden_threshold(own_threshold, overrides, ["groundedness/reasons@m"]) == threshold

    def test_a_judge_that_is_not_there_is_refused(self):
        with pytest.raises(
            UsageError, match=r"pass_at=shore=1: there is no judge 'shore' \(did you mean 'share'\?\)"
        ):
            calibrate(table_of("share", "other"), pass_at={"shore": 1.0})

    @pytest.mark.parametrize("overrides", [{"": 0.7}, {"share": 0.9, "": 0.7}])
    def test_a_judge_without_a_name_is_refused(self, overrides: dict[str, float]):
        with pytest.raises(UsageError, match=r"there is no judge ''; a threshold of all judges is a number"):
            calibrate(table_of("share", "other"), pass_at=overrides)

    @pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan")])
    def test_a_threshold_is_above_0_and_at_most_1(self, threshold: float):
        with pytest.raises(UsageError, match="above 0 and at most 1"):
            threshold_overrides(threshold)

    @pytest.mark.parametrize("threshold", [True, False, "0.5", [0.5]])
    def test_a_threshold_is_a_number(self, threshold: Any):
        with pytest.raises(UsageError, match="expected a number"):
            threshold_overrides({"share": threshold})


def test_the_command_line_says_thresholds_for_all_and_for_one(tmp_path: Any):
    path = tmp_path / "t.csv"
    lines = [
        f"i{n},{judge},{score},{label}" for judge in ("a", "b") for n, (score, label) in enumerate(ITEMS)
    ]
    path.write_text("item_id,judge,score,label\n" + "\n".join(lines))
    printed = CliRunner().invoke(
        command, [str(path), "-v", "--pass-at", "0.45", "--pass-at", "b=1"], catch_exceptions=False
    )
    assert "threshold 0.45 (as told)" in printed.output
    assert "threshold 1 (as told)" in printed.output
    for wrong in ("0", "b=0", "b=x", "=", "2", "nan"):
        refused = CliRunner().invoke(command, [str(path), "--pass-at", wrong])
        assert (refused.exit_code, "--pass-at" in refused.output) == (2, True), wrong
