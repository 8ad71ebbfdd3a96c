from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from command import Command, fiducial, typed, verdicts_in
from provider_server import Answer, ProviderServer, Response, Seen, Status

from fiducial.records import Verdict

DIRECT = "tool_call_accuracy/direct"


@pytest.fixture
def judge(inputs: tuple[Path, Path], server: ProviderServer) -> Command:
    """`fiducial judge` with these judges on the inputs, into the same folder each time."""
    cases, outputs = inputs
    at = typed(base_url=server.base_url, attempts=1, out="run")
    return partial(fiducial, "judge", "-v", cases, "--outputs", outputs, *at)


def verdicts(by: str) -> list[Verdict]:
    rows = verdicts_in("run")
    return sorted((row for row in rows if row.by == by), key=lambda row: (row.case_id, row.repeat))


def city(seen: Seen) -> int:
    return int(seen.messages[-1]["content"].partition("in City")[2].partition("?")[0])


def by_model(seen: Seen) -> Response:
    """Answer as one of four models: ``high`` 1, ``low`` 0, ``odd`` 1 or 0, ``dumb`` nonsense.

    ``odd`` says 1 of every second city.
    """
    return Answer({"high": "1", "low": "0", "odd": str(city(seen) % 2)}.get(seen.body["model"], "who knows"))


def test_several_models_are_kept_as_single_verdicts_and_one_together(judge: Command, server: ProviderServer):
    server.script = by_model
    members = [f"{DIRECT}@{model}" for model in ("high", "odd", "low")]
    result = judge("--judge", *members, "--jury", "majority")
    assert result.code == 0
    assert [len(verdicts(member)) for member in members] == [20, 20, 20]
    together = verdicts(f"jury/majority@{'+'.join(members)}")
    assert [verdict.score for verdict in together] == [verdict.score for verdict in verdicts(members[1])]
    assert f"jury/majority@{'+'.join(members)}: 20 graded\n" in result.out


def test_a_jury_says_how_many_independent_votes_it_is_worth(judge: Command, server: ProviderServer):
    server.script = by_model
    members = [f"{DIRECT}@{model}" for model in ("high", "odd", "low")]
    result = judge("--judge", *members, "--jury", "majority", "--json", "use.json")
    uses = json.loads(Path("use.json").read_text())["judges"]
    juries = [use["jury"] for use in uses if use["jury"] is not None]
    assert [(jury["jurors"], jury["by"], jury["constant"]) for jury in juries] == [(3, "agreement", 2)]
    assert juries[0]["votes"]["value"] == 1.0
    assert "3 votes are worth 1.00" in " ".join(result.out.split())
    calibrated = fiducial("calibrate", "run", "--json", "-")
    assert list(json.loads(calibrated.out)["juries"].values()) == juries


def test_a_jury_with_a_member_that_cannot_be_read_says_on_how_many_it_rests(
    judge: Command, server: ProviderServer
):
    server.script = by_model
    members = [f"{DIRECT}@{model}" for model in ("high", "dumb", "low")]
    judge("--judge", *members, "--jury", "mean", "--weights", "3,1,1")
    (first, *_) = verdicts(f"jury/mean@3*{'+'.join(members)}")
    assert (first.score, first.reason) == (0.75, "2 of 3 opinions have a score")


def test_repeats_make_a_jury_of_one_judge(judge: Command, server: ProviderServer):
    judge("--judge", DIRECT, "--model", "m", "--repeats", "3", "--jury", "majority")
    together = verdicts(f"jury/majority-of-3@{DIRECT}@m")
    assert ([verdict.score for verdict in together], len(server.seen)) == ([1.0] * 20, 60)


def test_the_dear_judge_is_asked_only_where_the_cheap_one_failed_an_output(
    judge: Command, server: ProviderServer
):
    server.script = by_model
    members = (f"{DIRECT}@odd", f"{DIRECT}@high")
    judge("--judge", *members, "--jury", "escalate", "--unsure", "0-0.5")
    assert [seen.body["model"] for seen in server.seen].count("high") == 10
    together = verdicts(f"jury/escalate@{'+'.join(members)}")
    assert [verdict.score for verdict in together] == [1.0] * 20
    assert sum(verdict.evidence["escalated"] for verdict in together) == 10


def test_a_jury_waits_for_calls_that_failed_and_is_counted_once(judge: Command, server: ProviderServer):
    members = (f"{DIRECT}@high", f"{DIRECT}@odd")
    by = f"jury/mean@{'+'.join(members)}"
    server.script = lambda seen: (
        Status(500) if seen.body["model"] == "odd" and city(seen) < 3 else Answer("1")
    )
    first = judge("--judge", *members, "--jury", "mean")
    assert (first.code, sum(verdict.outcome == "failed" for verdict in verdicts(by))) == (3, 3)
    assert (
        "\nNext: 3 verdicts missing, because calls failed or were not made" in first.out
    )  # a jury makes none
    server.script = by_model
    second = judge("--judge", *members, "--jury", "mean")
    graded = [verdict for verdict in verdicts(by) if verdict.graded]
    assert (second.code, len(graded), len({verdict.key for verdict in graded})) == (0, 20, 20)
    again = judge("--judge", *members, "--jury", "mean")
    assert (again.out, len(verdicts(by))) == (second.out, 23)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--jury", "majority"), "--jury needs two judges, or --repeats"),
        (("--jury", "escalate"), "takes two judges"),
        (("--jury", "mean", "--repeats", "2", "--weights", "1,2"), "expected 1 number above 0"),
        (("--jury", "mean", "--repeats", "2", "--weights", "x"), "--weights: expected numbers separated by ','"),
        (("--jury", "escalate", "--unsure", "0.2"), "--unsure: expected numbers separated by '-'"),
        (("--jury", "escalate", "--unsure", "0.9-0.1"), "--unsure: expected LOW-HIGH"),
        (("--weights", "1"), "--weights goes with --jury"),
    ],
)  # fmt: skip
def test_a_jury_that_cannot_be_is_refused_in_one_line(judge: Command, args: tuple[str, ...], message: str):
    result = judge("--judge", DIRECT, "--model", "m", *args)
    assert (result.code, message in result.err) == (2, True)
    assert len(result.err.splitlines()) == 1
