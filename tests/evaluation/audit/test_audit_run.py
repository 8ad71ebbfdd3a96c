"""Judges that name the first wrong step, on faults planted at a known step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from localising_judges import last_step, naming, off_by_one, perfect
from provider_server import ProviderServer

import fiducial as fd
from fiducial.api.audits import Audit, load_audit
from fiducial.evaluation.audit.audit_results import LocatedFault
from fiducial.evaluation.audit.probe_folder import read_facts
from fiducial.records import read_records

DIALS = ("fault_back", "turns_played")


@pytest.fixture
def server():
    with ProviderServer(naming(perfect)) as server:
        yield server


def audited(server: ProviderServer, out: Path, calls: int = 60) -> Audit:
    judge = fd.judge("first_wrong_step", model="m", base_url=server.base_url, api_key="k", cache=False)
    return fd.audit(None, judge, ladder=True, evenly=True, only=DIALS, calls=calls, out=out)


def located(found: Audit) -> dict[str, LocatedFault]:
    (judge,) = found.judges
    return {each.operator: each for each in judge.located}


def test_a_judge_that_sees_the_fault_localises_on_every_dial(server: ProviderServer, tmp_path: Path):
    found = audited(server, tmp_path)
    for dial in DIALS:
        rates = located(found)[dial].found
        assert (rates.exact.value, rates.within_one.value, rates.unnoticed) == (1.0, 1.0, 0)
        assert rates.exact.n == 54
        assert rates.localises
    assert "localises 2 of 2 sorts of fault: " in str(found.screen())


def test_a_neighbouring_step_counts_within_one_alone(server: ProviderServer, tmp_path: Path):
    server.script = naming(off_by_one)
    rates = located(audited(server, tmp_path))["fault_back"].found
    assert (rates.exact.value, rates.within_one.value, rates.localises) == (0.0, 1.0, False)


def test_always_naming_the_last_step_is_the_baseline_and_no_localisation(
    server: ProviderServer, tmp_path: Path
):
    server.script = naming(last_step)
    found = audited(server, tmp_path)
    for each in located(found).values():
        assert each.found.exact.value == pytest.approx(each.found.last_step.exact)
        assert each.found.within_one.value == pytest.approx(each.found.last_step.within_one)
        assert not each.found.localises
    assert "localises none of 2 sorts of fault." in str(found.screen())


def test_a_step_that_there_is_not_is_ungraded_and_in_no_rate(server: ProviderServer, tmp_path: Path):
    server.script = naming(lambda shown: 33 if shown.wrong and shown.steps == 32 else shown.wrong)
    each = located(audited(server, tmp_path))["fault_back"]
    assert (each.found.exact.n, each.found.exact.value, each.ungraded) == (0, None, {"unparsable": 54})
    assert not each.found.localises


def test_a_fault_that_nobody_notices_counts_against_the_judge(server: ProviderServer, tmp_path: Path):
    server.script = naming(lambda shown: "none")
    rates = located(audited(server, tmp_path))["fault_back"].found
    assert (rates.exact.value, rates.within_one.value, rates.unnoticed) == (0.0, 0.0, 54)


def test_other_judges_locate_nothing(tmp_path: Path):
    with ProviderServer() as server:
        judge = fd.judge("task_completion", model="m", base_url=server.base_url, api_key="k", cache=False)
        found = fd.audit(None, judge, ladder=True, evenly=True, only=DIALS, calls=20, out=tmp_path)
    assert [each.located for each in found.judges] == [[], []]
    assert "localises" not in str(found.screen())


CONVERSATION: dict[str, Any] = {
    "id": "files",
    "kind": "multi_turn",
    "messages": [
        [{"role": "user", "content": f"Make {name}."}] for name in ("a.txt", "b.txt and c.txt", "d.txt")
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "touch",
                "parameters": {"type": "dict", "properties": {"file_name": {"type": "string"}}},
            },
        }
    ],
    "reference": {
        "classes": ["GorillaFileSystem"],
        "initial_config": {"GorillaFileSystem": {"root": {"desk": {"type": "directory", "contents": {}}}}},
        "calls": [
            ["touch(file_name='a.txt')"],
            ["touch(file_name='b.txt')", "touch(file_name='c.txt')"],
            ["touch(file_name='d.txt')"],
        ],
    },
}


def test_mutants_of_conversations_say_where_the_fault_is(tmp_path: Path):
    fd.mutate([CONVERSATION], out=tmp_path / "probes", per_output=20)
    facts = list(read_facts(tmp_path / "probes"))
    outputs = {each.key: each for each in read_records(tmp_path / "probes" / "outputs.jsonl", fd.Output)}
    assert {each.operator for each in facts if each.planted} == {
        "turn_dropped_call",
        "turn_changed_argument",
        "turn_call_too_early",
        "turn_extra_call",
    } & {each.operator for each in facts}
    right = outputs[facts[0].key].agent_turns or []
    for each in facts:
        if each.planted is None:
            assert each.right
            continue
        turns = outputs[each.key].agent_turns or []
        steps = [(turn, step) for turn, steps in enumerate(turns) for step in steps or [None]]
        wrong = [number for number, (turn, step) in enumerate(steps, 1) if step not in right[turn]]
        assert each.planted.steps == len(steps)
        assert not wrong or each.planted.step == wrong[0]


def test_the_results_can_be_read_again(server: ProviderServer, tmp_path: Path):
    found = audited(server, tmp_path, calls=20)
    assert located(load_audit(tmp_path)) == located(found)
