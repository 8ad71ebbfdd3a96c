"""Probes: labels that are certain, the same in every order, and what is set aside."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.mutation import (
    OPERATORS,
    Mutation,
    Operator,
    Probe,
    Subject,
    Weakness,
    make_probes,
    right_output,
)
from fiducial.formats.bfcl import expand, open_source, read_cases
from fiducial.records import DIFFERS_IN_FORM, Case, Output, decode_record, encode_record

STRICT = CheckOptions(rules="strict")


def probes_of(subject: Subject, *names: str, **settings: int) -> list[Probe]:
    operators = [OPERATORS[name] for name in names] or list(OPERATORS.values())
    found = make_probes(subject, operators, CheckOptions(), **settings)
    return [probe for probe in found if isinstance(probe, Probe)]


def test_every_label_of_a_tool_call_is_the_strict_checkers_on_what_is_written_to_the_file(trip: Subject):
    probes = probes_of(trip)
    assert len(probes) > 60
    for probe in probes:
        output = decode_record(encode_record(probe.output), Output)
        case = decode_record(encode_record(probe.case), Case)
        if probe.label.evidence["operator"] == "letter_case":
            assert (check(case, output, STRICT).error_type, probe.label.score) == (DIFFERS_IN_FORM, 1.0)
            assert probe.label.source == "construction"
        else:
            assert check(case, output, STRICT).score == probe.label.score
            assert (probe.label.by, probe.label.source) == ("ast/strict", "checker")


def test_mutants_are_wrong_and_twins_are_right(trip: Subject, answer: Subject, statement: Subject):
    for subject in (trip, answer, statement):
        for probe in probes_of(subject):
            right = probe.label.evidence["plants"] == "twin"
            assert (probe.label.score == 1.0) == right, probe.label


def test_probes_of_an_item_do_not_depend_on_what_else_is_mutated_nor_on_the_order(
    trip: Subject, written_trip: Subject
):
    operators = list(OPERATORS.values())
    forward = [*make_probes(trip, operators, STRICT), *make_probes(written_trip, operators, STRICT)]
    backward = [
        *make_probes(written_trip, operators[::-1], STRICT),
        *make_probes(trip, operators[::-1], STRICT),
    ]
    assert sorted(map(encode_record, forward)) == sorted(map(encode_record, backward))


ONE_PROCESS = """
import sys
from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS, Subject, make_probes
from fiducial.records import Case, Output, decode_record, encode_record
case, output = (decode_record(line.encode(), kind) for line, kind in zip(sys.stdin, (Case, Output)))
for found in make_probes(Subject(case, output), OPERATORS.values(), CheckOptions(), per_operator=9):
    sys.stdout.buffer.write(encode_record(found))
"""


def test_every_process_makes_the_same_probes(trip: Subject):
    written = encode_record(trip.case) + encode_record(trip.output)
    made = {
        subprocess.run(
            [sys.executable, "-c", ONE_PROCESS],
            input=written,
            stdout=subprocess.PIPE,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in range(3)
    }
    assert len(made) == 1


def test_another_seed_gives_other_probes(trip: Subject):
    assert probes_of(trip, "near_name", "off_by_one") != probes_of(trip, "near_name", "off_by_one", seed=1)


def test_no_two_probes_share_a_key(trip: Subject, answer: Subject):
    keys = [probe.output.key for subject in (trip, answer) for probe in probes_of(subject)]
    assert len(keys) == len(set(keys))


def test_a_probe_says_where_it_comes_from_and_what_was_changed(trip: Subject):
    probe = probes_of(trip, "flipped_boolean")[0]
    assert probe.output.system == "agent~flipped_boolean"
    assert probe.label.evidence["source"] == {"case_id": "trip", "system": "agent", "trial": 0}
    assert probe.label.evidence["change"] == "flights.search: direct was True, is False"


def test_a_changed_case_gets_an_id_of_its_own_and_stays_in_its_cluster(trip: Subject):
    probe = probes_of(trip, "tools_reordered")[0]
    assert (probe.case.id, probe.case.cluster) == ("trip~tools_reordered~agent~0", "trips")
    assert [each["function"]["name"] for each in probe.case.tools] == ["hotels_book", "flights.search"]


def harmless(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Claims to plant a fault, and only names the arguments in another order."""
    yield from OPERATORS["argument_order"].mutate(subject, chance)


def test_a_mutant_that_the_checker_accepts_is_no_probe_but_a_weakness(trip: Subject):
    operator = Operator("mine", "tool_call", "fault", harmless, "no fault at all")
    found = list(make_probes(trip, [operator], CheckOptions()))
    assert found
    assert all(isinstance(each, Weakness) and each.failing == "accepts a fault" for each in found)


def test_a_twin_that_the_checker_rejects_is_no_probe_but_a_weakness(trip: Subject):
    operator = Operator("mine", "tool_call", "twin", OPERATORS["flipped_boolean"].mutate, "harmful")
    (found,) = make_probes(trip, [operator], CheckOptions())
    assert isinstance(found, Weakness)
    assert (found.failing, found.rules) == ("rejects a twin", "strict")
    assert found.reason is not None


@pytest.mark.parametrize(("before", "operator"), [("1.5", "wrong_magnitude"), ("-5", "flipped_sign")])
def test_deleted_signs_and_points_are_faults_that_bfcls_rules_do_not_see(before: str, operator: str):
    tools = [tool("set", {"to": {"type": "string"}}, ["to"])]
    case = Case(id="c", kind="tool_call", tools=tools, reference={"calls": [{"set": {"to": [before]}}]})
    output = right_output(case)
    assert output is not None
    probe, weakness = make_probes(Subject(case, output), [OPERATORS[operator]], CheckOptions())
    assert isinstance(probe, Probe)
    assert isinstance(weakness, Weakness)
    assert (weakness.rules, weakness.failing) == ("bfcl", "accepts a fault")


def whole(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Write whole numbers for floats, which strict rules accept and BFCL's do not accept in a list."""
    del subject, chance
    yield Mutation(calling("c", ("set", {"to": [1, 2]}), system="agent"), "whole numbers")


def reversed_list(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Plant a fault that all rules find."""
    del subject, chance
    yield Mutation(calling("c", ("set", {"to": [2.0, 1.0]}), system="agent"), "the other way round")


TWIN = Operator("mine", "tool_call", "twin", whole, "whole numbers for floats")
FAULT = Operator("wrong", "tool_call", "fault", reversed_list, "a list the other way round")


@pytest.mark.parametrize(
    ("written", "found"),
    [([1.0, 2.0], ["twin", "bfcl rejects a twin", "fault"]), ([1, 2.0], ["twin", "fault"])],
)
def test_twins_that_bfcls_rules_reject_are_a_weakness_unless_these_reject_the_output_itself(
    written: list[float], found: list[str]
):
    tools = [tool("set", {"to": {"type": "array", "items": {"type": "float"}}}, ["to"])]
    case = Case(id="c", kind="tool_call", tools=tools, reference={"calls": [{"set": {"to": [[1.0, 2.0]]}}]})
    subject = Subject(case, calling("c", ("set", {"to": written}), system="agent"))
    assert [
        probe.label.evidence["plants"] if isinstance(probe, Probe) else f"{probe.rules} {probe.failing}"
        for probe in make_probes(subject, [TWIN, FAULT], CheckOptions())
    ] == found


def test_at_most_so_many_probes_of_one_operator(trip: Subject):
    assert len(probes_of(trip, "wrong_type", per_operator=2)) == 2
    assert len(probes_of(trip, "wrong_type", per_operator=5)) == 5


@pytest.mark.reference
def test_every_label_on_bfcls_right_answers_agrees_with_the_checker(reference: Path):
    source = open_source(reference / "bfcl" / "data")
    agreed = 0
    for category in expand(["parallel", "live_simple", "live_parallel_multiple", "irrelevance"]):
        for case in read_cases(source, category):
            output = right_output(case)
            if output is None or check(case, output, STRICT).score != 1.0:
                continue
            for probe in probes_of(Subject(case, output), per_operator=2):
                read = decode_record(encode_record(probe.output), Output)
                verdict = check(probe.case, read, STRICT)
                twin = probe.label.evidence["plants"] == "twin"
                assert verdict.score == probe.label.score == (1.0 if twin else 0.0)
                agreed += 1
    print(f"{agreed:,} labels agree with the checker")
    assert agreed > 8_000
