"""Folders of probes: ordinary files that say how they were made."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from audit_items import answers, calls, statements

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.mutation import LIFELIKE, OPERATORS
from fiducial.errors import InputError
from fiducial.evaluation.audit import building
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.audit.cards.audit_sets import audit_set
from fiducial.evaluation.audit.probe_folder import ProbeManifest, read_facts, read_manifest
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.progress import Silent
from fiducial.records import (
    DIFFERS_IN_FORM,
    Case,
    Output,
    ToolResults,
    Verdict,
    encode_record,
    read_records,
    write_records,
)


def build(folder: Path, cases: list[Case], outputs: list[Output] | None = None) -> ProbeManifest:
    write_records(folder / "cases.jsonl", cases)
    files = [folder / "outputs.jsonl"] if outputs else []
    for file in files:
        write_records(file, outputs or [])
    chosen = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions())
    return build_probes(folder / "cases.jsonl", files, folder / "probes", chosen, Silent())


def test_probes_are_cases_outputs_and_labels_that_other_commands_read(probes: Path):
    with EvaluationInputs(probes / "cases.jsonl", [probes / "outputs.jsonl"]) as inputs:
        keys = {output.key for output in inputs.outputs()}
    labels = list(read_records(probes / "labels.jsonl", Verdict))
    assert keys == {label.key for label in labels}
    assert len(keys) == len(labels)


def test_every_label_of_a_call_is_what_the_strict_checker_says_of_the_file(probes: Path):
    labels = {label.key: label for label in read_records(probes / "labels.jsonl", Verdict)}
    options = CheckOptions(rules="strict")
    compared = 0
    with EvaluationInputs(probes / "cases.jsonl", [probes / "outputs.jsonl"]) as inputs:
        for case, output in inputs.pairs():
            if case.kind == "tool_call":
                label = labels[output.key]
                by_form = label.evidence.get("operator") == "letter_case"
                verdict = check(case, output, options)
                assert verdict.score == (None if by_form else label.score)
                assert not by_form or (verdict.error_type, label.source) == (DIFFERS_IN_FORM, "construction")
                compared += 1
    assert compared > 800


def test_the_manifest_counts_what_was_made(probes: Path):
    manifest = read_manifest(probes)
    counts = manifest.by_plants
    facts = list(read_facts(probes))
    for plants, count in counts.items():
        assert count == sum(probe.plants == plants for probe in facts)
    assert manifest.right_outputs == sum(probe.plants == "nothing" for probe in facts) == 150


def test_outputs_that_are_not_right_are_passed_over_and_counted(tmp_path: Path):
    cases = list(calls(3))
    wrong = [Output(case_id=case.id, system="s", text="[rooms.book(city='Nowhere')]") for case in cases[:2]]
    right = Output(
        case_id="call-2",
        system="s",
        text="[rooms.book(city='Port Turin Abel', arrival='2026-05-03', nights=4, price=82.0, board='half')]",
    )
    manifest = build(tmp_path, cases, [*wrong, right])
    assert (manifest.right_outputs, manifest.passed_over) == (1, {"not right": 2})


def test_every_output_and_composed_statement_is_mutated_or_passed_over_with_its_reason(tmp_path: Path):
    cases = [*calls(2), *statements(3)]
    outputs = [Output(case_id=case.id, system="s", text="x") for case in cases]
    with pytest.raises(InputError, match="nothing to mutate"):
        build(tmp_path, cases[:2], outputs[:2])
    manifest = build(tmp_path, cases, outputs)
    assert manifest.passed_over["grounded, since statements are composed instead"] == 3
    assert manifest.right_outputs + sum(manifest.passed_over.values()) == len(outputs) + 3


def test_with_nothing_right_there_is_nothing_to_mutate(tmp_path: Path):
    cases = list(calls(1))
    with pytest.raises(
        InputError, match=r"\(1 not right\): nothing to mutate; give cases a reference; .*--ladder"
    ):
        build(tmp_path, cases, [Output(case_id="call-0", system="s", text="no")])
    assert not (tmp_path / "probes" / "cases.jsonl").exists()


def test_sharding_the_cases_gives_the_same_probes(tmp_path: Path):
    cases = [*calls(6), *statements(4)]
    for name, shard in (("whole", cases), ("first", cases[:5]), ("second", cases[5:])):
        (tmp_path / name).mkdir()
        build(tmp_path / name, shard)
    whole, first, second = (
        (tmp_path / name / "probes" / "outputs.jsonl").read_text().splitlines()
        for name in ("whole", "first", "second")
    )
    assert sorted(whole) == sorted(first + second)


def test_a_folder_whose_files_were_changed_is_refused(tmp_path: Path):
    build(tmp_path, list(answers(3)))
    folder = tmp_path / "probes"
    (folder / "labels.jsonl").write_text((folder / "labels.jsonl").read_text().replace("1.0", "0.0"))
    with pytest.raises(InputError, match="is not the file that was written"):
        read_manifest(folder)


def test_a_label_without_a_score_is_refused(tmp_path: Path):
    build(tmp_path, list(answers(3)))
    labels = tmp_path / "probes" / "labels.jsonl"
    first, *others = read_records(labels, Verdict)
    write_records(labels, [msgspec.structs.replace(first, score=None, outcome="undecided"), *others])
    with pytest.raises(InputError, match=r"labels\.jsonl:1: the label of a probe has no score"):
        list(read_facts(tmp_path / "probes"))


def test_a_folder_that_holds_no_probes_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="not a folder of probes"):
        read_manifest(tmp_path)


def test_inputs_are_not_overwritten_by_their_own_probes(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", calls(1))
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions())
    with pytest.raises(InputError, match="choose another out="):
        build_probes(tmp_path / "cases.jsonl", [], tmp_path, settings, Silent())


def test_results_that_a_right_output_records_do_not_tell_it_from_its_mutants(tmp_path: Path):
    reference = {"classes": ["MathAPI"], "calls": [["mean(numbers=[1, 3])"]]}
    case = Case(
        id="mean", kind="multi_turn", messages=[[{"role": "user", "content": "?"}]], reference=reference
    )
    told = ToolResults(results=[{"result": 2}])
    output = Output(case_id="mean", system="s", turns=[["[mean(numbers=[1, 3])]", told, "It is 2."]])
    build(tmp_path, [case], [output])
    written = list(read_records(tmp_path / "probes" / "outputs.jsonl", Output))
    assert len(written) > 1
    assert all(each.turns == each.agent_turns for each in written)


def test_a_case_of_many_probes_is_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    encoded: list[str] = []

    def counted(record: object) -> bytes:
        if isinstance(record, Case):
            encoded.append(record.id)
        return encode_record(record)

    monkeypatch.setattr(building, "encode_record", counted)
    manifest = build(tmp_path, list(calls(5)))
    assert sum(operator.probes for operator in manifest.operators) > 50
    written = [case.id for case in read_records(tmp_path / "probes" / "cases.jsonl", Case)]
    assert encoded == written
    assert len(written) == len(set(written))


def test_lifelike_faults_are_drawn_apart_and_leave_the_other_probes_as_they_are(tmp_path: Path):
    cases = [*calls(3), *statements(2)]
    write_records(tmp_path / "cases.jsonl", cases)
    alone = build(tmp_path, cases)
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions(), lifelike=2)
    both = build_probes(tmp_path / "cases.jsonl", [], tmp_path / "both", settings, Silent())
    only = build_probes(None, [], tmp_path / "only", settings, Silent())
    for name in ("cases.jsonl", "outputs.jsonl", "labels.jsonl", "weaknesses.jsonl"):
        apart = (tmp_path / "probes" / name).read_bytes() + (tmp_path / "only" / name).read_bytes()
        assert (tmp_path / "both" / name).read_bytes() == apart
    assert both.right_outputs == alone.right_outputs + only.right_outputs
    assert both.operators == [*alone.operators, *only.operators]
    assert {operator.probes for operator in only.operators} == {2}
    assert [operator.name for operator in only.operators] == [operator.name for operator in LIFELIKE]


@pytest.mark.slow
def test_probes_of_the_suite_at_seed_0_are_word_for_word_those_of_the_fixed_set(tmp_path: Path):
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions(), lifelike=1)
    suite = [demo_path("cases.jsonl"), demo_path("outputs.jsonl")]
    build_probes(suite[0], suite[1:], tmp_path, settings, Silent())
    fixed, _ = audit_set()
    for name in ("cases.jsonl", "outputs.jsonl", "labels.jsonl"):
        lines = (fixed / name).read_bytes().splitlines()
        assert set(lines) <= set((tmp_path / name).read_bytes().splitlines())


def test_a_kind_of_lifelike_fault_is_the_same_whatever_else_is_drawn(tmp_path: Path):
    chosen = [operator for operator in LIFELIKE if operator.name.startswith("claim_stale")]
    for folder, operators in (("all", list(OPERATORS.values())), ("one", chosen)):
        settings = ProbeSettings(operators=operators, options=CheckOptions(), lifelike=2)
        build_probes(None, [], tmp_path / folder, settings, Silent())
    one, every = (
        {record.key: record for record in read_records(tmp_path / folder / "outputs.jsonl", Output)}
        for folder in ("one", "all")
    )
    assert one == {key: each for key, each in every.items() if "claim_stale" in key.case_id}
    assert len(one) == 2 * 3


def test_a_case_with_the_id_of_a_drawn_one_is_refused(tmp_path: Path):
    cases = [msgspec.structs.replace(case, id="claim_stale-0-0") for case in calls(1)]
    write_records(tmp_path / "cases.jsonl", cases)
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions(), lifelike=1)
    with pytest.raises(InputError, match="has the id of a case that is drawn"):
        build_probes(tmp_path / "cases.jsonl", [], tmp_path / "probes", settings, Silent())
    assert not (tmp_path / "probes" / "cases.jsonl").exists()
