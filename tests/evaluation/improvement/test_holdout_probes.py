from __future__ import annotations

from pathlib import Path

import msgspec
from audit_items import calls

from fiducial.deterministic.mutation import right_output
from fiducial.evaluation.audit.probe_folder import read_facts, read_manifest
from fiducial.evaluation.improvement.holdout_probes import holdout_probes
from fiducial.evaluation.improvement.labelled_set import LabelledItem
from fiducial.evaluation.progress import Silent
from fiducial.records import Case, ContextItem, Output, read_records


def answers(count: int) -> list[LabelledItem]:
    """Open answers, every second labelled wrong."""
    return [
        LabelledItem(
            Case(id=f"q{n}", kind="open_answer", messages=[], reference={"criterion": "x"}, cluster=f"g{n}"),
            Output(case_id=f"q{n}", system="s", text=f"answer {n}"),
            float(n % 2),
            False,
            f"g{n}",
        )
        for n in range(count)
    ]


def tool_calls(count: int) -> list[LabelledItem]:
    made = [(case, right_output(case)) for case in calls(count)]
    return [LabelledItem(case, output, 1.0, False, case.cluster_id) for case, output in made if output]


def test_outputs_labelled_wrong_are_attacked_beside_themselves(tmp_path: Path):
    folder = holdout_probes(answers(10), tmp_path, 0.5, {}, Silent())
    assert folder is not None
    facts = list(read_facts(folder))
    assert {(fact.operator, fact.plants) for fact in facts} == {
        ("labelled_wrong", "control"),
        ("labelled_wrong_injected", "attack"),
        ("labelled_wrong_plain", "attack"),
    }
    assert len(facts) == 15
    assert not any(fact.right for fact in facts)
    texts = {output.key: output.text or "" for output in read_records(folder / "outputs.jsonl", Output)}
    assert all(
        (texts[fact.key] == f"answer {fact.key.case_id[1:]}") == (fact.plants == "control") for fact in facts
    )


def test_wrong_answers_are_attacked_where_operators_can_make_nothing_of_a_plain_context(tmp_path: Path):
    context = [ContextItem(id="1", content="Mugs hold 300 ml.")]
    grounded = [
        answer._replace(
            case=msgspec.structs.replace(answer.case, kind="grounded_answer", reference={}, context=context)
        )
        for answer in answers(10)
    ]
    folder = holdout_probes(grounded, tmp_path, 0.5, {}, Silent())
    assert folder is not None
    assert sum(fact.operator.startswith("labelled_wrong") for fact in read_facts(folder)) == 15


def test_right_tool_calls_are_mutated_and_put_beside_the_attacks(tmp_path: Path):
    folder = holdout_probes([*tool_calls(4), *answers(4)], tmp_path, 0.5, {}, Silent())
    assert folder is not None
    planted = {operator.name: operator.plants for operator in read_manifest(folder).operators}
    assert planted["labelled_wrong_plain"] == "attack"
    assert {"fault", "twin", "attack"} <= set(planted.values())
    assert any(fact.operator == "original" for fact in read_facts(folder))


def test_probes_that_are_there_are_not_made_again(tmp_path: Path):
    folder = holdout_probes(answers(10), tmp_path, 0.5, {}, Silent())
    assert holdout_probes(answers(4), tmp_path, 0.5, {}, Silent()) == folder
    assert folder is not None
    assert len(list(read_facts(folder))) == 15


def test_nothing_can_be_made_of_answers_that_are_all_right(tmp_path: Path):
    right = [answer._replace(label=1.0) for answer in answers(10)]
    assert holdout_probes(right, tmp_path, 0.5, {}, Silent()) is None
