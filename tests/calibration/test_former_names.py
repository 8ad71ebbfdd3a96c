"""Names that changed are written under both for one version, and read under either."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest
from each_row import each_row

from fiducial import calibration
from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.calibrate import calibrate
from fiducial.calibration.agreement.calibration_results import calibration_json, read_calibration
from fiducial.calibration.planning.budget_plan import PhaseName, plan_budget
from fiducial.calibration.planning.pilots import assumed_pilot
from fiducial.calibration.planning.plan_results import SamplePlan, plan_json
from fiducial.calibration.statistic import Caution
from fiducial.errors import InputError


@each_row("name", ["Calibration", "Comparison", "Estimation"])
def test_a_former_name_of_a_result_works_and_warns(name: str):
    with pytest.warns(DeprecationWarning, match=f"now {name}"):
        assert getattr(calibration, f"{name}Numbers") is getattr(calibration, name)


@each_row(
    ("code", "kind"),
    [
        ("no_labelled_score", "nothing_said"),
        ("another_threshold", "another_cut"),
        ("threshold_not_declared", "cut_not_declared"),
        ("labels_between_thresholds", "labels_between_cuts"),
        ("few_rows", "few_rows"),
    ],
)
def test_a_caution_has_both_names_whichever_is_stored(code: str, kind: str):
    stored = {"code": code, "kind": kind, "about": {"j": 1.0}}
    cautions = [
        msgspec.convert({name: stored[name], "about": {"j": 1.0}}, Caution) for name in ("code", "kind")
    ]
    assert [msgspec.to_builtins(caution) for caution in cautions] == [stored, stored]
    assert msgspec.to_builtins(Caution(cast("Any", kind), {"j": 1.0})) == stored


@each_row("stored", [{"kind": "bogus"}, {"code": "bogus"}, {"about": {"j": 1.0}}, {"code": "", "kind": ""}])
def test_a_calibration_with_an_unknown_caution_is_refused(stored: dict[str, object]):
    with pytest.raises(InputError, match=r"not a calibration .*cautions\[0\]"):
        read_calibration({"cautions": [stored]})


def test_a_calibration_of_an_earlier_version_keeps_its_better_thresholds():
    rows = [
        {"item_id": str(i), "judge": "j", "label": float(i % 10 >= 3), "score": (i % 10) / 10}
        for i in range(200)
    ]
    written = calibration_json(calibrate(table_from_rows(rows)))
    assert written["better_cuts"] == written["better_thresholds"] != {}
    former = {name: part for name, part in written.items() if name != "better_thresholds"}
    assert read_calibration(former) == read_calibration(written)


def test_phases_of_a_budget_have_both_names():
    pilot = assumed_pilot(0.6, {"cheap": (0.7, 0.7), "expensive": (0.95, 0.95)})
    costs: dict[PhaseName, float] = {"check": 1e-4, "cheap": 0.001, "expensive": 0.05, "label": 2.0}
    plan = plan_json(SamplePlan(design_effect=1.0, budget=plan_budget(300, costs, pilot)))["budget"]
    assert {(each["name"], each["phase"]) for each in plan["phases"]} >= {("label", "label")}
    widths = plan["half_widths"]
    assert widths["cheap+expensive"] == widths["cheap+dear"]
    assert plan["pilot"]["explained"]["expensive"] == plan["pilot"]["explained"]["dear"]
