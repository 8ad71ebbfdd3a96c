"""One pass rate for each system, whatever the order in which judges were named."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fiducial as fd
from fiducial.evaluation.conclusion.completed_results import one_judges_part, pooled_parts
from fiducial.evaluation.conclusion.run_results import ALL, ALL_CORRECTED, ALL_UNCORRECTED
from fiducial.evaluation.conclusion.run_summary import summary_of
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict
from fiducial.report.document import as_lines
from fiducial.report.text.summary_text import summary_document

CASES: list[dict[str, Any]] = [
    {"id": f"a{number}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}} for number in range(20)
] + [{"id": f"o{number}", "kind": "open_answer", "reference": {"criterion": "Kind."}} for number in range(20)]
OUTPUTS = [
    {"case_id": case["id"], "system": "me", "text": "Rome" if case["id"] != "a0" else "I do not know."}
    for case in CASES
]


def passing(case: fd.Case, output: fd.Output, least: int) -> float:
    """Agree with the checker where there is one, else pass answers from a number on."""
    if case.id.startswith("a"):
        return float(output.text == "Rome")
    return float(int(case.id[1:]) >= least)


@pytest.fixture(autouse=True, scope="module")
def judges() -> None:
    """Register a judge that errs on a checked output, three that do not, and one with a gap.

    The last one leaves an output ungraded.
    """

    def poor(case: fd.Case, output: fd.Output) -> float:
        return 1.0 - passing(case, output, 0) if case.id == "a1" else passing(case, output, 0)

    def unsure(case: fd.Case, output: fd.Output) -> Any:
        return None if case.id == "o3" else passing(case, output, 10)

    fd.judge_function("poor")(poor)
    fd.judge_function("unsure")(unsure)
    fd.judge_function("half")(partial(passing, least=10))
    fd.judge_function("passes_all")(partial(passing, least=0))


def evaluated(
    *judges: str, labels: list[Verdict] | None = None, cases: Any = CASES, outputs: Any = OUTPUTS
) -> fd.Run:
    return fd.evaluate(cases, outputs, judges=list(judges), judge_on="all", labels=labels, progress=False)


def test_one_system_has_one_rate_of_checked_and_judged_outputs():
    found = evaluated("half").systems["me"].overall
    assert (found.name, found.n, found.of) == (ALL_UNCORRECTED, 40, 40)
    assert found.value == pytest.approx(29 / 40)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 29 / 40 < found.high


def test_without_a_judge_the_rate_of_all_outputs_is_undefined_between_its_worst_and_best_case():
    found = evaluated().systems["me"].overall
    assert (found.name, found.value, found.of - found.n) == (ALL, None, 20)
    assert found.undefined == "20 of 40 outputs are ungraded"
    assert found.bounds == (pytest.approx(19 / 40), pytest.approx(39 / 40))


def test_the_rate_goes_by_the_judge_that_agrees_better_with_labels_whatever_the_order():
    judges = ["half", "poor"]
    rates = {evaluated(*order).systems["me"].overall.value for order in permutations(judges)}
    assert list(rates) == [pytest.approx(29 / 40)]


def test_of_judges_alike_the_first_named_counts():
    for judges, expected in ((["half", "passes_all"], 29), (["passes_all", "half"], 39)):
        found = evaluated(*judges).systems["me"].overall
        assert found.value == pytest.approx(expected / 40)


def test_labels_of_undecided_outputs_correct_the_rate():
    labels = [
        Verdict(case_id=f"o{number}", system="me", by="ann", source="human", outcome="graded", score=score)
        for number in range(20)
        for score in [float(number >= 15)]
    ]
    found = evaluated("passes_all", labels=labels).systems["me"].overall
    assert (found.name, found.value) == (ALL_CORRECTED, pytest.approx(24 / 40))


@pytest.mark.parametrize("wrap", [reversed, list])
def test_what_is_ungraded_is_counted_with_both_bounds(wrap: Callable[[Any], Any]):
    found = evaluated("unsure", outputs=list(wrap(OUTPUTS[:-1]))).systems["me"].overall
    assert (found.n, found.of) == (38, 40)
    assert found.outcomes == {"ungraded": 1, "missing": 1}
    assert found.bounds == (pytest.approx(28 / 40), pytest.approx(30 / 40))


def test_the_range_counts_what_passed_whatever_the_weights_of_the_parts():
    outputs = [
        output | {"text": "I do not know."} if output["case_id"] == "a1" else output for output in OUTPUTS
    ]
    found = evaluated("unsure", outputs=outputs).systems["me"]
    passed = 18 + 10
    assert found.overall.value == pytest.approx((18 + 20 * 10 / 19) / 40)
    assert found.overall.bounds == (passed / 40, (passed + 1) / 40)
    summary = "\n".join(as_lines(summary_document(evaluated("unsure")._summary)))  # pyright: ignore[reportPrivateUsage] - what -v prints
    assert "over all 40: 0.72 to 0.75 if all ungraded" in summary


def test_the_range_of_a_corrected_rate_takes_the_corrected_number_of_passes():
    labels = [
        Verdict(case_id=f"o{number}", system="me", by="ann", source="human", outcome="graded", score=score)
        for number in range(20)
        if number != 3
        for score in [float(number >= 15)]
    ]
    found = evaluated("unsure", labels=labels).systems["me"]
    judged = found.corrected["unsure/function"].value
    assert (found.overall.name, judged) == (ALL_CORRECTED, pytest.approx(5 / 19))
    assert found.overall.bounds == (pytest.approx(24 / 40), pytest.approx(25 / 40))


def test_failures_behind_the_overall_rate_are_the_checkers_and_the_judges():
    run = evaluated("half", "poor")
    assert {failure.case_id for failure in run.systems["me"].overall.failures} == {
        "a0",
        *(f"o{n}" for n in range(10)),
    }


def test_a_judge_has_an_undecided_output_that_it_failed_as_its_example_with_its_reason():
    def strict(case: fd.Case, output: fd.Output) -> Any:
        return passing(case, output, 3), f"{case.id} is rude"

    fd.judge_function("strict")(strict)
    with RunStore(evaluated("half", "passes_all", "strict").kept) as store:
        (system,) = summary_of(store).systems
    found = {judge: (each.item, each.reason) for judge, each in system.judged_examples.items()}
    assert found == {"half/function": ("o0|me|0", None), "strict/function": ("o0|me|0", "o0 is rude")}


OPEN = [
    {"id": f"q{number}", "kind": "open_answer", "reference": {"criterion": "Kind."}} for number in range(8)
]
SCORES = st.sampled_from([0.0, 1.0, None])


@given(
    st.lists(st.lists(SCORES, min_size=1, max_size=8), min_size=1, max_size=2),
    st.sampled_from([1, 1, 1, 2]),
    st.sampled_from([False, False, False, True]),
)
def test_the_part_of_one_judge_equals_the_pooled_parts(
    systems: list[list[float | None]], repeats: int, labelled: bool
):
    said = {f"s{place}": scores for place, scores in enumerate(systems)}

    def told(case: fd.Case, output: fd.Output) -> Any:
        return said[output.system][int(case.id[1:])]

    fd.judge_function("told")(told)
    outputs = [
        {"case_id": f"q{number}", "system": system, "text": "yes"}
        for system, scores in said.items()
        for number in range(len(scores))
    ]
    label = Verdict(case_id="q0", system="s0", by="ann", source="human", outcome="graded", score=1.0)
    run = fd.evaluate(
        OPEN,
        outputs,
        judges="told",
        rules=None,
        repeats=repeats,
        labels=[label] if labelled else None,
        progress=False,
    )
    store = RunStore(run.kept)
    results = store.manifest.results or []
    alone = one_judges_part(results, store)
    graded = all(any(score is not None for score in scores) for scores in systems)
    assert (alone is not None) is (graded and repeats == 1 and not labelled)
    if alone is not None:
        for part in pooled_parts(store):
            assert (alone.rates, alone.outputs, alone.graded, alone.passed, alone.corrected) == (
                part.rates,
                part.outputs,
                part.graded,
                part.passed,
                part.corrected,
            )
