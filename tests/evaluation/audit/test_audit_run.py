"""Judges that name the first wrong step, on faults planted at a known step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from localising_judges import last_step, naming, off_by_one, perfect
from msgspec.structs import replace
from provider_server import ProviderServer

import fiducial as fd
from fiducial.api.audits import Audit, load_audit
from fiducial.deterministic.mutation import DIALS, Rung
from fiducial.evaluation.audit.audit_results import LocatedFault
from fiducial.evaluation.audit.probe_folder import read_facts
from fiducial.plugins import OPERATORS
from fiducial.records import read_records
from fiducial.records.output import planted_step

pytestmark = pytest.mark.usefixtures("coarse_curves")


@pytest.fixture
def server():
    with ProviderServer(naming(perfect)) as server:
        yield server


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dials of short conversations: of two to four turns, of more, and wrong in the last one."""
    of_turns = DIALS["turns_played"]
    dials = (
        replace(of_turns, name="one", levels=(2, 3, 4)),
        replace(of_turns, name="other", levels=(5, 6)),
        replace(of_turns, name="end", levels=(2, 3), make=wrong_at_the_end),
    )
    monkeypatch.setattr(OPERATORS, "_registered", {dial.name: dial for dial in dials})


def wrong_at_the_end(seed: int, level: int) -> Rung:
    """The first rung from a seed on whose last step is the wrong one."""
    rungs = (DIALS["turns_played"].make(attempt, level) for attempt in count(1_000 * seed))
    return next(rung for rung in rungs if is_wrong_at_the_end(rung))


def is_wrong_at_the_end(rung: Rung) -> bool:
    planted = planted_step(rung.case, rung.right, rung.faulty)
    return planted is not None and planted.step == planted.steps


def audited(server: ProviderServer, out: Path | None = None, only: Sequence[str] = ("one",)) -> Audit:
    judge = fd.judge("first_wrong_step", model="m", base_url=server.base_url, api_key="k", cache=False)
    return fd.audit(None, judge, ladder=True, evenly=True, only=only, calls=20, out=out)


def located(found: Audit) -> dict[str, LocatedFault]:
    (judge,) = found.judges
    return {fault.operator: fault for fault in judge.located}


def test_a_judge_that_sees_the_fault_localises_on_every_dial(server: ProviderServer):
    dials = ("fault_back", "turns_played")
    found = audited(server, only=dials)
    for dial in dials:
        rates = located(found)[dial].found
        assert (rates.exact.value, rates.within_one.value, rates.unnoticed) == (1.0, 1.0, 0)
        assert rates.exact.n == 18
        assert rates.localises
    assert "localises 2 of 2 sorts of fault: " in str(found.screen())


@pytest.mark.usefixtures("short")
def test_a_neighbouring_step_counts_within_one_alone(server: ProviderServer):
    server.script = naming(off_by_one)
    rates = located(audited(server))["one"].found
    assert (rates.exact.value, rates.within_one.value, rates.localises) == (0.0, 1.0, False)


@pytest.mark.usefixtures("short")
def test_always_naming_the_last_step_is_the_baseline_and_no_localisation(server: ProviderServer):
    server.script = naming(last_step)
    found = audited(server, only=("one", "end"))
    assert located(found)["end"].found.exact.value == 1.0
    for fault in located(found).values():
        assert 0 < fault.found.last_step.exact <= fault.found.last_step.within_one
        assert fault.found.exact.value == pytest.approx(fault.found.last_step.exact)
        assert fault.found.within_one.value == pytest.approx(fault.found.last_step.within_one)
        assert not fault.found.localises
    assert "localises none of 2 sorts of fault." in str(found.screen())


@pytest.mark.usefixtures("short")
def test_a_step_that_there_is_not_is_ungraded_and_in_no_rate(server: ProviderServer):
    server.script = naming(lambda shown: 5 if shown.wrong and shown.steps <= 4 else shown.wrong)
    each = located(audited(server, only=("one", "other")))["one"]
    assert (each.found.exact.n, each.found.exact.value, each.ungraded) == (0, None, {"unparsable": 18})
    assert not each.found.localises


@pytest.mark.usefixtures("short")
def test_a_fault_that_nobody_notices_counts_against_the_judge(server: ProviderServer):
    server.script = naming(lambda shown: "none")
    rates = located(audited(server))["one"].found
    assert (rates.exact.value, rates.within_one.value, rates.unnoticed) == (0.0, 0.0, 18)


@pytest.mark.usefixtures("short")
def test_other_judges_locate_nothing():
    with ProviderServer() as server:
        judge = fd.judge("task_completion", model="m", base_url=server.base_url, api_key="k", cache=False)
        found = fd.audit(None, judge, ladder=True, evenly=True, only=["one"], calls=10)
    assert [audit.located for audit in found.judges] == [[], []]
    assert "localises" not in str(found.screen())


@pytest.mark.usefixtures("short")
def test_the_results_can_be_read_again(server: ProviderServer, tmp_path: Path):
    found = audited(server, tmp_path)
    assert located(found).keys() == {"one"}
    assert located(load_audit(tmp_path)) == located(found)


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
    outputs = {
        record.key: record for record in read_records(tmp_path / "probes" / "outputs.jsonl", fd.Output)
    }
    assert {fact.operator for fact in facts if fact.planted} == {
        "turn_dropped_call",
        "turn_changed_argument",
        "turn_call_too_early",
        "turn_extra_call",
    } & {fact.operator for fact in facts}
    right = outputs[facts[0].key].agent_turns or []
    for fact in facts:
        if fact.planted is None:
            assert fact.right
            continue
        turns = outputs[fact.key].agent_turns or []
        steps = [(turn, step) for turn, steps in enumerate(turns) for step in steps or [None]]
        wrong = [number for number, (turn, step) in enumerate(steps, 1) if step not in right[turn]]
        assert fact.planted.steps == len(steps)
        assert not wrong or fact.planted.step == wrong[0]
