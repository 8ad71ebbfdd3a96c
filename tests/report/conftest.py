"""Small inputs of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fiducial.calibration.agreement.calibration_results import read_calibration
from fiducial.cli.spelled_options import option_of
from fiducial.evaluation.conclusion.run_results import JudgeUse, StratumRate, SystemResult
from fiducial.evaluation.store.kept_inputs import KeptInput
from fiducial.records import Case, Outcome, Output, Source, Verdict
from fiducial.report.model import ItemVerdicts, ListedItem, ReportData, ReportItem
from fiducial.spelling import spelled_as_options

JUDGE = "tool_call_accuracy/short@some-model"


@pytest.fixture(autouse=True)
def on_the_command_line() -> Iterator[None]:
    """Documents are those of the command line; those of Python: `test_either_surface.py`."""
    with spelled_as_options(option_of):
        yield


def _verdict(
    case_id: str, score: float | None, *, source: Source, outcome: Outcome, raw: str | None = None
) -> Verdict:
    by = {"checker": "ast/bfcl", "judge": JUDGE}.get(source, "somebody")
    return Verdict(
        case_id=case_id, system="alpha", by=by, source=source, outcome=outcome, score=score, raw=raw
    )


@pytest.fixture
def make_item() -> Callable[..., ListedItem]:
    """An item from scores; None stands for a verdict that could not be given."""

    def make(
        case_id: str = "case-1",
        *,
        checker: float | None = 1.0,
        judge: float | None = 1.0,
        text: str = "[f(a=1)]",
        query: str = "Do it.",
        category: str = "simple",
        kind: str = "open_answer",
        asks: dict[str, Any] | None = None,
        judges: list[Verdict] | None = None,
        **more: Any,
    ) -> ListedItem:
        checked: Outcome = "undecided" if checker is None else "graded"
        judged: Outcome = "unparsable" if judge is None else "graded"
        case = Case(id=case_id, kind=kind, messages=[{"role": "user", "content": query}], **(asks or {}))
        item = ReportItem(
            output=Output(case_id=case_id, system="alpha", text=text),
            case=case,
            checker=_verdict(case_id, checker, source="checker", outcome=checked),
            judges=judges or [_verdict(case_id, judge, source="judge", outcome=judged, raw="1")],
            **more,
        )

        def read(_offset: int, _asked: bool) -> ReportItem:
            return item

        return ListedItem(
            key=item.output.key,
            category=category,
            query=query,
            verdicts=ItemVerdicts(checker=item.checker, judges=item.judges, label=item.label),
            offset=0,
            read=read,
        )

    return make


def _statistic(
    value: float | None, low: float | None = None, high: float | None = None, undefined: str | None = None
) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "n": 245, "method": "Wilson", "undefined": undefined}


def _pair(other: str, *, p: float | None = None, **found: Any) -> dict[str, Any]:
    counts: dict[str, Any] = dict.fromkeys(
        ("n", "n_clusters", "effective_clusters", "both_right", "a_only_right", "b_only_right", "both_wrong"),
        0,
    )
    untested: dict[str, Any] = dict.fromkeys(
        (
            "exact_p",
            "midp",
            "holm_p",
            "bh_p",
            "by_p",
            "clustered_p",
            "clustered_holm_p",
            "better",
            "smallest_visible",
        )
    )
    return counts | untested | {"a": JUDGE, "b": other, "p": p, "adjusted_p": p} | found


@pytest.fixture
def calibration() -> dict[str, Any]:
    statistics = {
        "true_positive_rate": _statistic(0.871, 0.81, 0.91),
        "true_negative_rate": _statistic(0.786, 0.7, 0.86),
        "mcc": _statistic(None, undefined="every label is the same"),
    }
    entry: dict[str, Any] = {
        "n": 245,
        "n_missing": 4,
        "n_clusters": 24,
        "tp": 128,
        "fn": 19,
        "fp": 21,
        "tn": 77,
    }
    return {
        "judges": {JUDGE: entry | {"statistics": statistics}},
        "cautions": [{"kind": "few_clusters", "about": {JUDGE: 7}}],
        "baselines": {"always_pass": entry | {"tp": 147, "fn": 0, "fp": 98, "tn": 0, "statistics": {}}},
        "slices": {"category": {"simple": {JUDGE: entry | {"n": 1234, "statistics": statistics}}}},
        "people": {"names": ["ada", "ben"], "krippendorff_alpha": {"nominal": _statistic(0.71, 0.6, 0.8)}},
        "systems": {
            JUDGE: {
                "systems": {
                    name: {
                        "n": 50,
                        "label_mean": mean,
                        "score_mean": 0.5,
                        "difference": _statistic(0.5 - mean, 0, 1),
                    }
                    for name, mean in (("beta", 0.25), ("alpha", 0.75))
                },
                "kendall_tau_b": _statistic(None, undefined="an order of 2 systems says little; it takes 3"),
                "largest_difference": _statistic(0.25, 0.1, 0.4),
            }
        },
        "probability": {
            JUDGE: {
                "n": 245,
                "groups": 10,
                "grouping": "bins of equal mass",
                "statistics": {"reliability_corrected": _statistic(0.0041, -0.001, 0.009)},
                "confidence": {"auroc": _statistic(0.66, 0.6, 0.7)},
            }
        },
        "comparison": {
            "by": "judge",
            "right": "agrees",
            "statistic": "accuracy",
            "contenders": {},
            "cuts": {},
            "cautions": [],
            "pairs": [
                _pair(
                    "other",
                    n=240,
                    a_only_right=31,
                    b_only_right=12,
                    p=0.0031,
                    difference=_statistic(0.079, 0.03, 0.13),
                ),
                _pair("elsewhere", difference=_statistic(None, undefined="no common items")),
            ],
            "best": {
                "name": JUDGE,
                "n": 240,
                "apparent": _statistic(0.87, 0.81, 0.91),
                "held_out": _statistic(0.86),
            },
        },
        "dawid_skene": {
            "n": 240,
            "undefined": None,
            "prevalence": _statistic(0.58),
            "judges": {
                JUDGE: {"true_positive_rate": _statistic(0.97), "true_negative_rate": _statistic(0.94)},
                "other": {"true_positive_rate": _statistic(0.9), "true_negative_rate": _statistic(0.8)},
            },
            "pairs": [
                {"a": JUDGE, "b": "other", "n": 240, "observed": 0.91, "expected": 0.84, "residual": 0.07}
            ],
        },
    }


@pytest.fixture
def data(calibration: dict[str, Any]) -> ReportData:
    strata = [
        StratumRate(
            name="checker decided",
            by="ast/bfcl",
            value=0.71,
            low=0.68,
            high=0.74,
            n=1974,
            of=2000,
            outcomes={"unparsable": 18, "failed": 8},
        ),
        StratumRate(
            name="open: judge's rate, uncorrected",
            by=JUDGE,
            n=0,
            of=12,
            undefined="no output was judged",
            outcomes={"failed": 12},
            bounds=(0.0, 1.0),
            note="no labels",
        ),
    ]
    return ReportData(
        title="A run",
        created="2026-03-20T10:41:07Z",
        command="fiducial run cases.jsonl",
        records="out/verdicts.jsonl",
        versions={"fiducial": "0.1.0"},
        inputs=[KeptInput(path="cases.jsonl", name="cases.jsonl", sha256="9f" * 32, rows=2000)],
        systems=[
            SystemResult(
                system="alpha",
                strata=strata,
                missing=3,
                outcomes={"checker": {"graded": 1974}},
                faults={"value_error:string": 1204},
            )
        ],
        judges=[
            JudgeUse(
                name=JUDGE,
                fingerprint="b1946ac9",
                outcomes={"graded": 265},
                calls=1281,
                prompt_tokens=184200,
                completion_tokens=12804,
                seconds=187.2,
            )
        ],
        calibration=read_calibration(calibration),
        notes=["Read this first."],
    )
