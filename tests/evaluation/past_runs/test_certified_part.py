"""What a judge may decide alone: by a bound on outputs, with labels of a random sample."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest
from judge_ids import judge_id

import fiducial as fd
from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.calibrate import Requests, requested_analyses, selective_threshold
from fiducial.calibration.intervals.measurement import Settings
from fiducial.calibration.tables.calibration_table import Table
from fiducial.errors import InputError, UsageError
from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.past_runs import certified_part
from fiducial.evaluation.past_runs.certified_part import SentOn, sent_on_from
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict


@dataclass
class Given:
    """An output: the judge's scores by repeat, its label, its cluster."""

    scores: list[float | None]
    label: float | None = 1.0
    cluster: str | None = None
    system: str = "bot"
    evidence: Mapping[str, Any] = field(default_factory=dict[str, Any])


def sure(count: int, **fields: Any) -> list[Given]:
    return [Given([0.95], **fields) for _ in range(count)]


def run_of(given: list[Given], *, repeats: int = 1, judges: Iterable[str] = ("scored",)) -> fd.Run:
    """Judge outputs with the scores that they name."""
    asked = Counter[str]()

    def scored(case: fd.Case, _output: fd.Output) -> float | None:
        asked[case.id] += 1
        return given[int(case.id[1:])].scores[asked[case.id] - 1]

    for name in judges:
        fd.judge_function(name)(scored)
    cases = list[dict[str, Any]]()
    for n, each in enumerate(given):
        cases.append({"id": f"q{n}", "kind": "open_answer", "reference": {"criterion": "Kind."}})
        if each.cluster is not None:
            cases[-1]["cluster"] = each.cluster
    outputs = [{"case_id": f"q{n}", "system": each.system, "text": "yes"} for n, each in enumerate(given)]
    labels = [
        Verdict(
            case_id=f"q{n}",
            system=each.system,
            by="ana",
            source="human",
            outcome="graded",
            score=each.label,
            evidence=dict(each.evidence),
        )
        for n, each in enumerate(given)
        if each.label is not None
    ]
    return fd.evaluate(cases, outputs, judges=list(judges), rules=None, labels=labels, repeats=repeats, progress=False)  # fmt: skip


def sent_on(given: list[Given], max_error: float = 0.1, **options: Any) -> SentOn:
    with RunStore(run_of(given, **options).kept) as store:
        return sent_on_from(store, max_error)


def cases_sent_on(found: SentOn) -> set[str]:
    return {item.case_id for item in found.items}


def test_a_few_large_clusters_of_wrong_outputs_are_not_certified_away():
    wrong = [Given([0.95], label=0.0, cluster=name) for name in "ab" for _ in range(300)]
    found = sent_on(sure(80) + wrong).part
    assert (found.kept, found.sent_on, found.certificate.threshold) == (0, 680, None)
    assert "one per cluster, drawn by size" in (found.certificate.undefined or "")


def test_large_clusters_of_right_outputs_count_as_much_as_their_outputs():
    """Every output counts with the same chance, so a third of the small clusters are drawn."""
    large = [Given([0.95], cluster=f"c{n // 3}") for n in range(180)]
    found = sent_on(sure(60) + large).part
    assert found.kept == 240
    assert 60 < found.certificate.kept < 100


@pytest.mark.parametrize("labelled", [1.0, 0.5])
def test_clusters_of_one_size_all_count_however_many_of_their_outputs_have_labels(labelled: float):
    rng = random.Random(1)
    given = [Given([0.95], 1.0 if rng.random() < labelled else None, f"c{n // 3}") for n in range(180)]
    found = sent_on(given).part.certificate
    clusters = {each.cluster for each in given if each.label is not None}
    assert (found.kept, found.bound_of) == (len(clusters), "outputs")


def test_a_bound_on_unequal_clusters_holds_for_outputs():
    """Larger clusters are wrong more often; a bound on one output of each fails in 98 %."""
    certified = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        size = rng.geometric(0.3, 200)
        wrong = rng.random(200) < 0.02 * size
        # The rate of all outputs is 0.02 (2 - p) / p = 0.113 with p = 0.3.
        rows = [
            {"item_id": f"{n}.{k}", "judge": "j", "score": 0.95, "label": float(not wrong[n]), "cluster": n}
            for n in range(200)
            for k in range(size[n])
        ]
        found = selective_threshold(table_from_rows(rows), 0.112, seed=seed, by_size=True)
        certified += found.threshold is not None
    assert certified <= 9  # a tenth, and two standard errors


def test_a_certificate_of_a_run_depends_on_no_order_of_rows():
    rng = random.Random(0)
    rows: list[dict[str, Any]] = [
        {
            "item_id": f"i{n}",
            "judge": judge,
            "score": round(rng.random(), 3),
            "label": float(n % 3 > 0),
            "cluster": f"c{min(n % 20, 14)}",
        }
        for n in range(60)
        for judge in ("j", "k")
    ]
    found = set[str]()
    for _ in range(5):
        rng.shuffle(rows)
        table = replace(table_from_rows(rows), judges={"j": judge_id("j"), "k": judge_id("k")})
        requests = Requests(max_error=0.4, cascade=["j", "k"])
        parts = requested_analyses(table, requests, settings=Settings(replicates=20))
        only = table.take(table.judge.codes == table.judge.values.index("j"))
        by_size = selective_threshold(only, 0.4, seed=0, by_size=True)
        found.add(str([sorted(parts["selective"].items()), parts["cascade"], by_size]))
    assert len(found) == 1


def chosen(by: str) -> dict[str, Any]:
    return {"evidence": {"chosen_by": by}}


@pytest.mark.parametrize("by", ["score", "label", "elsewhere"])
def test_labels_that_are_no_random_sample_certify_nothing(by: str):
    with pytest.raises(InputError, match=f"chosen by {by}"):
        sent_on(sure(60, **chosen(by)))


def test_a_single_label_that_was_chosen_is_enough_to_refuse():
    with pytest.raises(InputError, match="chosen by score"):
        sent_on([*sure(59), Given([0.95], **chosen("score"))])


def test_random_samples_are_taken_and_those_of_each_system_only_of_one():
    assert sent_on(sure(60, **chosen("random"))).part.kept == 60
    assert sent_on(sure(60, **chosen("system"))).part.kept == 60
    with pytest.raises(InputError, match="chosen by system"):
        sent_on(sure(40, **chosen("system")) + sure(20, system="other", **chosen("system")))


@pytest.mark.parametrize("declared", [{}, chosen("random")])
def test_labelled_outputs_that_are_unlike_the_others_certify_nothing(declared: dict[str, Any]):
    with pytest.raises(InputError, match="unlike the others"):
        sent_on(sure(60, **declared) + [Given([0.6], label=None) for _ in range(60)])


def test_only_outputs_whose_repeats_are_all_sure_and_agree_are_kept():
    unsure = [Given([0.95, 0.05]), Given([0.95, 0.55]), Given([0.95, None]), Given([0.05, 0.05], label=0.0)]
    wrong = [Given([0.55, 0.55], label=0.0) for _ in range(12)]
    found = sent_on([Given([0.95, 0.95]) for _ in range(60)] + unsure + wrong, repeats=2)
    assert found.part.certificate.threshold == pytest.approx(0.9)
    assert cases_sent_on(found) == {"q60", "q61", "q62", *(f"q{64 + n}" for n in range(12))}
    assert (found.part.outputs, found.part.kept, found.part.ungraded) == (76, 61, 1)


def test_what_is_kept_and_passes_is_counted_and_the_band_is_that_of_the_certificate():
    spread = [Given([score], label=float(score > 0.5)) for score in (0.9, 0.8, 0.2) for _ in range(30)]
    wrong = [Given([score], label=float(score < 0.5)) for score in (0.6, 0.45) for _ in range(30)]
    found = sent_on(spread + wrong)
    assert (found.part.kept, found.part.kept_passed, found.part.sent_on) == (90, 60, 60)
    assert (found.part.low, found.part.high) == pytest.approx((0.2, 0.8))
    assert cases_sent_on(found) == {f"q{n}" for n in range(90, 150)}


def shuffled(rows: Table, seed: int, _store: RunStore) -> Table:
    return rows.take(np.random.default_rng(seed).permutation(len(rows)))


def test_a_cascade_depends_on_no_order_of_replies(monkeypatch: pytest.MonkeyPatch):
    """One output of each cluster is drawn, and which depends on the order of rows."""
    given = [
        Given([0.9 if n % 7 else 0.6], label=float(n % 7 > 0), cluster=f"c{n % 40}", system="bot")
        for n in range(120)
    ]
    with RunStore(run_of(given).kept) as store:
        plain = sent_on_from(store, 0.4)
        rows = certified_part.table_of(store)
        for seed in range(3):
            monkeypatch.setattr(certified_part, "table_of", partial(shuffled, rows, seed))
            assert sent_on_from(store, 0.4) == plain


@pytest.mark.parametrize(
    ("uses", "expected"),
    [
        ([{"calls": 60, "cost": 0.25}, {"calls": 60, "cost": 0.5}], 0.75),
        ([{"calls": 60, "cost": 0.25}, {"calls": 0, "cost": 4.0}], 0.25),
        ([{"calls": 0, "cost": 4.0}], None),
        ([{"calls": 60, "cost": 0.25}, {"calls": 60}], None),
    ],
)
def test_the_part_cost_what_was_called_and_without_a_call_nothing(
    uses: list[dict[str, Any]], expected: float | None, monkeypatch: pytest.MonkeyPatch
):
    with RunStore(run_of(sure(60)).kept) as store:
        judges = [JudgeUse(name="j", fingerprint="f", outcomes={}, **use) for use in uses]
        finished = msgspec.structs.replace(store.finished(), judges=judges)
        monkeypatch.setattr(store, "finished", lambda: finished)
        assert sent_on_from(store, 0.1).part.cost == expected


def test_a_run_of_several_judges_is_no_first_part():
    with pytest.raises(UsageError, match="run of its own"):
        sent_on(sure(30), judges=("scored", "scored_too"))
