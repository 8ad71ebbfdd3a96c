"""`fd.prefer`: outputs in any form, a judge object, and its choices as typed values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from choosing import choosing, without
from provider_server import ProviderServer

import fiducial as fd
from fiducial.api.callable_judge import CallableJudge
from fiducial.errors import UsageError


@pytest.fixture
def judge(server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CallableJudge]:
    """A judge that does not like the word wrong."""
    monkeypatch.chdir(tmp_path)
    server.script = choosing(without("wrong"))
    with fd.judge("preference", model="m", base_url=server.base_url, api_key="k", cache=False) as ready:
        yield ready


def case(number: int = 0) -> fd.Case:
    return fd.Case(
        id=f"c{number}",
        kind="open_answer",
        messages=[{"role": "user", "content": "Why?"}],
        reference={"criterion": "It says why."},
    )


def answers(system: str, text: str, count: int = 8) -> list[fd.Output]:
    return [
        fd.Output(case_id=f"c{number}", system=system, text=f"{text} {number}") for number in range(count)
    ]


CASES = [case(number) for number in range(8)]


def test_two_lists_of_outputs(judge: CallableJudge):
    found = fd.prefer(answers("a", "right"), answers("b", "wrong"), cases=CASES, judges=judge)
    (match,) = found.judges[0].matches
    assert (match.a_won, match.better, match.preferred.value) == (8, "a", 1.0)
    assert (
        found.judges[0].systems["a"].strength.undefined
        == "no finite strength: a won every comparison with the others"
    )
    assert "a is preferred" in str(found)
    assert "there are no labels" in found._repr_html_()  # pyright: ignore[reportPrivateUsage] - a notebook's name
    assert found.to_frame().loc[0, "better"] == "a"


def test_two_outputs(judge: CallableJudge):
    found = fd.prefer(answers("a", "right")[0], answers("b", "wrong")[0], cases=[case()], judges=judge)
    assert (found.judges[0].matches[0].n, found.judges[0].matches[0].better) == (1, None)


def test_several_systems_in_one_list_are_all_compared(judge: CallableJudge):
    outputs = [*answers("a", "right"), *answers("b", "wrong"), *answers("c", "fine")]
    found = fd.prefer(outputs, cases=CASES, judges=judge)
    assert [(match.a, match.b) for match in found.judges[0].matches] == [("a", "b"), ("a", "c"), ("b", "c")]
    only = fd.prefer(outputs, cases=CASES, judges=judge, against="b")
    assert [(match.a, match.b) for match in only.judges[0].matches] == [("a", "b"), ("b", "c")]


def test_labels_say_whether_the_better_one_is_preferred(judge: CallableJudge):
    pairs = [*answers("a", "right"), *answers("b", "wrong")]
    labels = [
        fd.Verdict(
            case_id=pair.case_id,
            system=pair.system,
            by="ann",
            source="human",
            outcome="graded",
            score=float(pair.system == "b"),
        )
        for pair in pairs
    ]
    found = fd.prefer(pairs, cases=CASES, judges=judge, labels=labels).judges[0].labels
    assert found is not None
    assert (found.n, found.wrong_in_both.value) == (8, 1.0)


def test_what_people_prefer_on_a_part_corrects_the_win_rate(judge: CallableJudge):
    count = 40
    people = [
        fd.Verdict(
            case_id=f"c{number}",
            system="a vs b" if number % 2 else "b vs a",
            by="ann",
            source="human",
            outcome="graded",
            score=float((number % 5 > 0) == number % 2),
        )
        for number in range(20)
    ]
    found = fd.prefer(
        answers("a", "right", count),
        answers("b", "wrong", count),
        cases=[case(number) for number in range(count)],
        judges=judge,
        labels=people,
    ).judges[0]
    (match,) = found.matches
    assert match.corrected is not None
    assert (match.preferred.value, match.corrected.n) == (1.0, 20)
    assert match.corrected.value == pytest.approx(16 / 20)
    assert found.labels is not None
    assert found.labels.right.value == pytest.approx(16 / 20)


def test_runs_bring_cases_outputs_and_labels(judge: CallableJudge, tmp_path: Path):
    one = fd.evaluate(CASES, answers("a", "right"), rules="strict")
    other = fd.evaluate(CASES, answers("b", "wrong"), rules="strict", out=tmp_path / "other")
    assert fd.prefer(one, other, judges=judge).judges[0].matches[0].a_won == 8
    assert fd.prefer(one, tmp_path / "other", judges=judge).judges[0].matches[0].a_won == 8


def test_a_folder_keeps_it_and_nothing_is_asked_again(
    judge: CallableJudge, server: ProviderServer, tmp_path: Path
):
    outputs = [*answers("a", "right"), *answers("b", "wrong")]
    first = fd.prefer(outputs, cases=CASES, judges=judge, out=tmp_path / "kept")
    asked = len(server.seen)
    assert asked == 16
    assert fd.prefer(outputs, cases=CASES, judges=judge, out=tmp_path / "kept") == first
    assert len(server.seen) == asked


def test_repeats_ask_each_order_so_often(judge: CallableJudge, server: ProviderServer):
    found = fd.prefer(answers("a", "right"), answers("b", "wrong"), cases=CASES, judges=judge, repeats=3)
    assert len(server.seen) == 48
    assert found.judges[0].matches[0].n == 8


def test_a_system_that_has_no_answer_to_a_case_is_not_compared_on_it(judge: CallableJudge):
    found = fd.prefer(answers("a", "right"), answers("b", "wrong", 5), cases=CASES, judges=judge)
    assert found.judges[0].comparisons == 5


def test_it_works_inside_a_running_loop(judge: CallableJudge):
    async def notebook() -> int:
        return len(fd.prefer(answers("a", "x"), answers("b", "y"), cases=CASES, judges=judge).judges)

    assert asyncio.run(notebook()) == 1


def test_a_judge_is_called_with_two_texts(judge: CallableJudge):
    verdict = judge(query="Why?", first="wrong", second="right", tool_definitions=[])
    assert (verdict.score, verdict.reason) == (0.0, "because")


def test_a_judge_that_compares_has_nothing_to_say_of_one_output(judge: CallableJudge):
    verdict = judge(case(), answers("a", "right")[0])
    assert verdict.outcome == "not_applicable"
    assert "compares two outputs" in str(verdict.reason)


def test_clusters_are_those_of_cases(judge: CallableJudge):
    cases = [
        fd.Case(id=each.id, kind=each.kind, messages=each.messages, reference=each.reference, cluster="one")
        for each in CASES
    ]
    found = fd.prefer(answers("a", "right"), answers("b", "wrong"), cases=cases, judges=judge)
    assert found.judges[0].matches[0].n_clusters == 1


def test_without_cases_it_says_what_is_missing(judge: CallableJudge):
    with pytest.raises(UsageError, match="with cases="):
        fd.prefer(answers("a", "x"), answers("b", "y"), judges=judge)


def test_runs_over_different_cases_are_refused(judge: CallableJudge):
    one, other = fd.evaluate(CASES, answers("a", "x")), fd.evaluate(CASES[:4], answers("b", "y", 4))
    with pytest.raises(UsageError, match="runs over different cases cannot be compared"):
        fd.prefer(one, other, judges=judge)


def test_pairs_that_would_be_called_alike_are_refused(judge: CallableJudge):
    outputs = [*answers("a", "x"), *answers("b vs c", "y"), *answers("a vs b", "y"), *answers("c", "z")]
    with pytest.raises(UsageError, match="two pairs of systems are called 'a vs b vs c'; rename a system"):
        fd.prefer(outputs, cases=CASES, judges=judge)


def test_an_import_of_pairs_brings_outputs_and_peoples_choices(judge: CallableJudge, tmp_path: Path):
    rows = [
        {
            "question": f"{n}?",
            "response_a": f"right {n}",
            "response_b": f"wrong {n}",
            "human_winner": "A" if n else "B",
        }
        for n in range(8)
    ]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(rows))
    fd.read(path).save(tmp_path / "pairs")
    asked = fd.prefer(tmp_path / "pairs", judges=judge).judges[0]
    assert (asked.matches[0].n, asked.matches[0].a_won, asked.one_order) == (8, 8, 0)
    assert asked.labels is not None
    assert (asked.labels.n, asked.labels.right_in_both.value) == (8, 7 / 8)
    recorded = fd.prefer(tmp_path / "pairs").judges[0]
    assert (recorded.judge, recorded.one_order) == ("human_winner", 8)
