"""Identical requests in flight."""

from __future__ import annotations

from judge_items import Judging, make_case, make_output
from provider_server import Answer, ProviderServer, Status

ITEMS = [(make_case(), make_output(system=f"agent-{number}")) for number in range(6)]
"""Six systems that answered alike, so that one question covers all."""


def test_what_is_in_flight_is_asked_once(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Answer("<S2>1</S2>", delay=0.2)
    verdicts = judging(ITEMS)
    assert [verdict.score for verdict in verdicts] == [1.0] * 6
    assert len(server.seen) == 1
    assert sum(verdict.usage.calls for verdict in verdicts if verdict.usage) == 1


def test_repetitions_are_not_the_same_question(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Answer("<S2>1</S2>", delay=0.2)
    judging(ITEMS[:1], repeats=3)
    assert len(server.seen) == 3


def test_a_failure_is_everybodys(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Status(400, delay=0.2)
    verdicts = judging(ITEMS)
    assert {(verdict.outcome, verdict.reason) for verdict in verdicts} == {
        ("failed", "HTTP 400: scripted 400")
    }
    assert len(server.seen) == 1
    assert sum(verdict.usage.calls for verdict in verdicts if verdict.usage) == 1
