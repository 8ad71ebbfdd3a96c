"""`judge --unsure-of`: a second judge where the first may not decide alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from decision_server import deciding
from provider_server import ProviderServer, in_the_form_asked_for

import fiducial as fd
from fiducial.errors import InputError, UsageError
from fiducial.evaluation.store.run_store import RunStore

ITEMS = 200


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cases, outputs, and labels of all of them: one in three is wrong."""
    folder = tmp_path_factory.mktemp("cascade")
    cases, outputs, labels = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(ITEMS):
        right = n % 3 > 0
        cases.append({"id": f"q{n}", "kind": "open_answer", "messages": [{"role": "user", "content": f"Question {n}?"}], "reference": {"criterion": "It answers."}})  # fmt: skip
        outputs.append({"case_id": f"q{n}", "system": "bot", "text": f"answer {n} {'fine' if right else 'odd'}"})  # fmt: skip
        labels.append({"case_id": f"q{n}", "system": "bot", "by": "ana", "source": "human", "outcome": "graded", "score": float(right)})  # fmt: skip
    for name, rows in (("cases", cases), ("outputs", outputs), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def sure(n: int, *, right: bool) -> float:
    """Be sure and right about three quarters, and unsure about the others."""
    rng = random.Random(n)
    p = rng.uniform(0.9, 0.99) if n % 4 else rng.uniform(0.4, 0.6)
    return p if right else 1 - p


def clueless(n: int, *, right: bool) -> float:
    del right
    return random.Random(n).random()


def first_run(files: Path, out: Path, answer: Callable[..., float], *, labelled: bool = True) -> Path:
    def decide(text: str) -> float:
        n = int(text.partition("answer ")[2].split()[0])
        return answer(n, right="fine" in text)

    with ProviderServer(lambda seen: deciding(lambda name, question: decide(str(seen.body)))(seen)) as server:
        labels = ("--labels", str(files / "labels.jsonl")) if labelled else ()
        done = fiducial(
            "judge", str(files / "cases.jsonl"), "--outputs", str(files / "outputs.jsonl"), *labels, "--judge", "rubric", "--model", "jev-1.13.0",
            "--endpoint", f"{server.base_url},api=systemone", "--price", "jev-1.13.0=1/0", "--no-cache", "--out", str(out),
        )  # fmt: skip
        assert done.code == 0, done.err
    return out


@pytest.fixture(scope="module")
def first(files: Path) -> Path:
    return first_run(files, files / "first", sure)


def second(files: Path, first: Path, out: Path, *options: str) -> tuple[str, int]:
    with ProviderServer(in_the_form_asked_for(lambda seen: 1)) as server:
        done = fiducial(
            "judge", str(files / "cases.jsonl"), "--outputs", str(files / "outputs.jsonl"), "--judge", "rubric/direct", "--model", "m",
            "--base-url", server.base_url, "--no-cache", "--unsure-of", str(first), "--max-error", "0.1", "--out", str(out), *options,
        )  # fmt: skip
        assert done.code == 0, done.err
        return done.out, len(server.seen)


def part(out: Path) -> dict[str, Any]:
    return json.loads((out / "cascade.json").read_text())


def test_the_second_judge_is_asked_only_where_the_first_may_not_decide(
    files: Path, first: Path, tmp_path: Path
):
    printed, asked = second(files, first, tmp_path / "second", "-v")
    found = part(tmp_path / "second")
    assert found["outputs"] == ITEMS
    assert asked == ITEMS - found["kept"]
    assert 0.5 * ITEMS <= found["kept"] < ITEMS
    assert found["certificate"]["error_bound"] <= 0.1
    assert found["low"] < 0.5 < found["high"]
    said = " ".join(printed.split())
    assert f"decides {found['kept']} of {ITEMS} outputs alone" in said
    with RunStore(first) as store:
        (cost,) = [judge.cost for judge in store.finished().judges or [] if judge.cost]
    assert found["cost"] == cost
    assert f"cost ${cost:.4f} for all {ITEMS} outputs" in said


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_is_kept_is_as_right_as_certified(files: Path, first: Path, tmp_path: Path):
    second(files, first, tmp_path / "second")
    judged = {row["case_id"].partition("#")[0] for row in rows(tmp_path / "second" / "verdicts.jsonl")}
    labels = {row["case_id"]: row["score"] for row in rows(files / "labels.jsonl")}
    verdicts = {row["case_id"]: row["score"] for row in rows(first / "verdicts.jsonl")}
    kept = [case for case in labels if case not in judged]
    wrong = sum((verdicts[case] >= 0.5) != (labels[case] >= 0.5) for case in kept)
    assert len(kept) == part(tmp_path / "second")["kept"]
    assert wrong / len(kept) <= 0.1


def test_a_judge_that_knows_nothing_decides_nothing(files: Path, tmp_path: Path):
    first = first_run(files, tmp_path / "first", clueless)
    printed, asked = second(files, first, tmp_path / "second", "-v")
    assert asked == ITEMS
    assert part(tmp_path / "second")["kept"] == 0
    assert "decides none" in printed


def test_a_dry_run_counts_what_is_sent_on(files: Path, first: Path, tmp_path: Path):
    done = fiducial(
        "judge", str(files / "cases.jsonl"), "--outputs", str(files / "outputs.jsonl"), "--judge", "rubric/direct", "--model", "m",
        "--base-url", "http://127.0.0.1:9/v1", "--unsure-of", str(first), "--max-error", "0.1", "--out", str(tmp_path / "x"),
        "--dry-run", "--json", "-",
    )  # fmt: skip
    outputs = json.loads(done.out)["judges"][0]["outputs"]
    assert 0 < outputs < ITEMS / 2


def test_in_python_it_is_the_same(files: Path, first: Path):
    run = fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", judges=fd.judge("rubric", model="baseline"), rules=None, unsure_of=first, max_error=0.1)  # fmt: skip
    assert 0 < sum(run.judges[0].outcomes.values()) < ITEMS / 2


def test_a_run_without_labels_certifies_nothing_and_asks_nobody(files: Path, tmp_path: Path):
    unlabelled = first_run(files, tmp_path / "first", sure, labelled=False)
    with pytest.raises(InputError, match="label"):
        fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", judges=fd.judge("rubric", model="baseline"), rules=None, unsure_of=unlabelled, max_error=0.1)  # fmt: skip


def test_one_without_the_other_is_refused(files: Path, first: Path):
    for options in list[dict[str, Any]]([{"unsure_of": first}, {"max_error": 0.1}]):
        with pytest.raises(UsageError, match="go together"):
            fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", rules=None, **options)


def test_other_outputs_are_refused(files: Path, first: Path, tmp_path: Path):
    (tmp_path / "other.jsonl").write_text((files / "outputs.jsonl").read_text().replace("odd", "fine"))
    with pytest.raises(UsageError, match="other files"):
        fd.evaluate(files / "cases.jsonl", tmp_path / "other.jsonl", judges=fd.judge("rubric", model="baseline"), rules=None, unsure_of=first, max_error=0.1)  # fmt: skip


def test_a_run_that_only_a_baseline_graded_is_named_as_such(files: Path, tmp_path: Path):
    judges = fd.judge("rubric", model="baseline")
    graded = fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", judges=judges, rules=None, out=tmp_path / "first")  # fmt: skip
    with pytest.raises(InputError, match=r"only rubric/.*baseline"):
        fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", judges=judges, rules=None, unsure_of=graded.folder, max_error=0.1)  # fmt: skip
    unjudged = fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", out=tmp_path / "checked")
    with pytest.raises(InputError, match="no judge graded its outputs"):
        fd.evaluate(files / "cases.jsonl", files / "outputs.jsonl", judges=judges, rules=None, unsure_of=unjudged.folder, max_error=0.1)  # fmt: skip
