"""The demo suite is what it says: well-formed, varied, and labelled throughout."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, cast

import pytest
from demo_suite import SYSTEMS, case_of, cases, labels, outputs
from each_row import each_row

from fiducial.api.demo import JUDGES
from fiducial.data import demo_path
from fiducial.deterministic.ast.schema_check import require_producible
from fiducial.deterministic.mutation.documented_form import keeps_form
from fiducial.errors import InputError
from fiducial.judges.catalogue import JUDGED_KINDS
from fiducial.records import Case, ItemKey, Verdict, accepted_calls, read_records

_ROOT = Path(__file__).parents[2]


def _judged_by(judge: str) -> list[Verdict]:
    return [label for label in labels() if case_of(label).kind in JUDGED_KINDS[judge]]


def test_case_ids_are_unique_and_every_reference_can_be_produced_by_its_tools():
    assert len(cases()) == sum(1 for _ in read_records(demo_path("cases.jsonl"), Case))
    for case in cases().values():
        if case.kind == "tool_call":
            require_producible(case)


def test_every_accepted_value_keeps_the_form_that_its_document_asks_for():
    broken = [
        (case.id, argument, value)
        for case in cases().values()
        if case.kind == "tool_call"
        for call in accepted_calls(case.reference["calls"])
        for argument, accepted in call.arguments.items()
        for value in accepted.values
        if not keeps_form(value, _document(case, call.name, argument))
    ]
    assert broken == []


def _document(case: Case, function: str, argument: str) -> dict[str, Any]:
    documents = {tool["function"]["name"]: tool["function"] for tool in case.tools}
    return documents[function]["parameters"]["properties"][argument]


def _has_order(items: list[Any]) -> bool:
    return any(item != items[0] for item in items)


def test_every_reference_says_of_its_lists_whether_their_order_matters():
    """Or the document does, which calls them tuples; a list of one item has no order."""
    silent = [
        (case.id, argument)
        for case in cases().values()
        if case.kind == "tool_call"
        for call in accepted_calls(case.reference["calls"])
        for argument, accepted in call.arguments.items()
        if _document(case, call.name, argument)["type"] == "array"
        for value in accepted.values
        if type(value) is list and _has_order(cast("list[Any]", value))
    ]
    assert silent == []


def test_every_system_answers_every_case_once_and_every_output_has_its_label():
    assert {key.system for key in outputs()} == SYSTEMS
    assert set(outputs()) == {ItemKey(case_id, system, 0) for case_id in cases() for system in SYSTEMS}
    assert [label.key for label in labels()] == list(outputs())


def test_the_suite_is_as_varied_as_it_claims():
    kinds = Counter(case.kind for case in cases().values())
    assert kinds["tool_call"] >= 60
    categories = {case.tags["category"] for case in cases().values() if case.kind == "tool_call"}
    assert categories >= {"simple", "multiple", "parallel", "parallel_multiple"}
    assert len({case.tags["language"] for case in cases().values()}) >= 10
    assert max(Counter(case.cluster_id for case in cases().values()).values()) >= 4
    declared = "".join(re.findall(r'"type":"?\w+|"type": ?"\w+', demo_path("cases.jsonl").read_text("utf-8")))
    for name in ("tuple", "dict", "boolean", "float", "array", "integer", "any"):
        assert name in declared


@each_row("judge", JUDGES)
def test_every_judge_has_cases_of_several_languages_and_clusters(judge: str):
    judged = {label.case_id: case_of(label) for label in _judged_by(judge)}.values()
    assert len(judged) >= 20
    assert len({case.tags["language"] for case in judged}) >= 4
    assert len({case.cluster_id for case in judged}) >= 8


@each_row("judge", JUDGES)
def test_every_judge_has_right_and_wrong_outputs_of_every_system(judge: str):
    scores = defaultdict[str, list[float]](list)
    for label in _judged_by(judge):
        scores[label.system].append(label.score or 0.0)
    assert all(min(found) == 0 and max(found) == 1 for found in scores.values())
    mean = {system: sum(found) / len(found) for system, found in scores.items()}
    assert mean["careful"] > mean["hasty"] > mean["sloppy"]
    assert 0.3 < sum(mean.values()) / len(mean) < 0.7


def test_labels_are_constructions_and_name_a_fault_exactly_when_the_output_is_wrong():
    for label in labels():
        assert label.source == "construction"
        assert (label.score == 1.0) == (label.error_type is None), label.key
        assert label.score == 1.0 or label.reason, label.key


def test_only_groundedness_is_a_matter_of_degree():
    fractional = {case_of(label).kind for label in labels() if label.score not in {0.0, 1.0}}
    assert fractional == {"grounded_answer"}


def test_the_documented_faults_are_the_used_faults():
    files = demo_path("README.md").read_text("utf-8")
    lines = re.findall(r"^\* in [a-z ]+: (.*)$", files, re.MULTILINE)
    documented = {name for line in lines for name in re.findall(r"`(\w+)`", line)}
    assert documented == {label.error_type for label in labels() if label.error_type}


def test_the_documented_counts_are_the_counts():
    documented = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", _page(), re.MULTILINE))
    assert documented == {
        kind: str(count) for kind, count in Counter(case.kind for case in cases().values()).items()
    }
    for page in (_page(), demo_path("README.md").read_text("utf-8")):
        assert f"{len(cases())} " in page
        assert f"{len(outputs())} outputs" in page


@pytest.mark.parametrize("name", ["nothing.jsonl", "../pyproject.toml", ""])
def test_a_file_that_is_not_part_of_the_suite_is_refused(name: str):
    with pytest.raises(InputError, match="no such file in the demo suite"):
        demo_path(name)


def _page() -> str:
    return (_ROOT / "docs" / "demo-suite.md").read_text("utf-8")
