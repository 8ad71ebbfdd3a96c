"""Runs of a decision model as judge: kinds of scores, and versions that the server names."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from decision_server import deciding
from provider_server import Answer, ProviderServer, Response, Script, Seen, in_the_form_asked_for

import fiducial as fd
from fiducial.errors import InputError
from fiducial.evaluation.past_runs.certified_part import sent_on_from
from fiducial.evaluation.store.run_store import RunStore

_N = 24

CASES: list[dict[str, Any]] = [
    {
        "id": f"c{n}",
        "kind": "memory_answer",
        "messages": [{"role": "user", "content": f"Who ships order {n}?"}],
        "reference": {"answers": ["PostNord"]},
    }
    for n in range(_N)
]
OUTPUTS = [
    {"case_id": f"c{n}", "system": "me", "text": f"I think PostNord ships order {n}."} for n in range(_N)
]
LABELS = [
    {
        "case_id": f"c{n}",
        "system": "me",
        "by": "ann",
        "source": "human",
        "outcome": "graded",
        "score": float(n % 3 == 0),
    }
    for n in range(_N)
]


def versions(first: str, second: str) -> Script:
    """Return a script whose replies name another version from the middle on."""
    scripts = [deciding(lambda name, question: 0.3, model=each) for each in (first, second)]
    seen_before = [0]

    def script(seen: Seen) -> Response:
        seen_before[0] += 1
        return scripts[seen_before[0] > _N // 2](seen)

    return script


def judge_of(server: ProviderServer) -> fd.Judge:
    return fd.judge(
        "memory_answer",
        model="jev-1.13.0",
        api_key="k",
        base_url=server.base_url,
        api="systemone",
        cache=False,
    )


def run_of(server: ProviderServer, script: Script, **options: Any) -> fd.Run:
    server.script = script
    return fd.evaluate(
        CASES,
        OUTPUTS,
        judges=[judge_of(server)],
        labels=LABELS,
        **options,
    )


def test_a_decision_judge_says_that_its_scores_are_probabilities(server: ProviderServer):
    run = run_of(server, deciding(lambda name, question: 0.3))
    (panel,) = fd.calibrate(run, replicates=100).judges.values()
    assert panel.scores == "probabilities"
    assert not [note for note in str(run).splitlines() if "several versions" in note]


def test_the_rate_of_a_run_is_the_mean_probability_whatever_passes(server: ProviderServer):
    for pass_at in (None, 0.2):
        run = run_of(server, deciding(lambda name, question: 0.3), pass_at=pass_at)
        assert run.systems["me"].overall.value == pytest.approx(1 / 3)  # every output has a label
    unlabelled = fd.evaluate(CASES, OUTPUTS, judges=[judge_of(server)], pass_at=0.2)
    assert unlabelled.systems["me"].overall.value == pytest.approx(0.3)


def test_versions_that_a_server_names_are_judges_of_their_own(server: ProviderServer):
    run = run_of(server, versions("jev-1.13.0", "jev-1.14.0"))
    (use,) = run.judges
    assert use.served_by == {"jev-1.13.0": _N // 2, "jev-1.14.0": _N // 2}
    assert "several versions of its model answered" in str(run)
    with pytest.warns(UserWarning, match="several versions"):
        found = fd.calibrate(run, replicates=100)
    assert [name.partition("[")[2] for name in found.judges] == ["jev-1.13.0]", "jev-1.14.0]"]
    assert [panel.n for panel in found.judges.values()] == [_N // 2] * 2
    assert all(panel.scores == "probabilities" for panel in found.judges.values())
    with pytest.warns(UserWarning, match="several versions"), pytest.raises(InputError, match="2 judges"):
        fd.estimate(run)


def test_a_run_of_several_versions_is_no_first_part_of_a_cascade(server: ProviderServer):
    run = run_of(server, versions("jev-1.13.0", "jev-1.14.0"))
    with RunStore(run.kept) as store, pytest.raises(InputError, match=r"several versions .* belongs to one"):
        sent_on_from(store, 0.3)


def test_a_failed_call_of_a_split_judge_is_kept_apart(server: ProviderServer):
    both = versions("jev-1.13.0", "jev-1.14.0")
    count = [0]

    def script(seen: Seen) -> Response:
        count[0] += 1
        return deciding(lambda name, question: 7)(seen) if count[0] == 1 else both(seen)

    run = run_of(server, script)
    (use,) = run.judges
    assert sum(use.served_by.values()) == _N


def test_replies_that_name_no_version_beside_one_are_no_second_version(server: ProviderServer):
    run = run_of(server, versions("jev-1.13.0", ""))
    (use,) = run.judges
    assert use.served_by == {}
    (panel,) = fd.calibrate(run, replicates=100).judges.values()
    assert panel.n == _N


def test_names_of_chat_models_vary_by_route_and_are_not_split(server: ProviderServer):
    models = itertools.cycle(["m-2025-04-14", "openai/m"])
    answers = in_the_form_asked_for()

    def script(seen: Seen) -> Response:
        answer = answers(seen)
        assert isinstance(answer, Answer)
        return replace(answer, model=next(models))

    server.script = script
    judge = fd.judge("memory_answer/reasons", model="m", base_url=server.base_url, api_key="k", cache=False)
    run = fd.evaluate(CASES, OUTPUTS, judges=[judge], labels=LABELS)
    (use,) = run.judges
    assert (use.served_by, use.outcomes) == ({}, {"graded": _N})
    (panel,) = fd.calibrate(run, replicates=100).judges.values()
    assert panel.n == _N
