"""``--split-statements``: long answers judged by statement, at a provider on loopback."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from command import Command, Result, fiducial, typed
from packed_items import texts_of
from provider_server import Answer, ProviderServer, Response, Seen, Status

import fiducial as fd
from fiducial.errors import UsageError
from fiducial.evaluation.run_table import run_rows
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Case, ContextItem, Output, Verdict, read_records, write_records

JUDGE = "groundedness/reasons@m"
SHARE = f"statements/share@{JUDGE}"
SPLIT = "statements/split@m"

SUPPORTED = "Gull {n} nests on the roof of the lifeboat station and comes back to it every single spring"
HALF = "Its partner was ringed by the harbour school and was fed with anchovies by the cook of the ferry"
UNSUPPORTED = "The third egg was stolen by a marten that lives under the stairs of the old sail loft"
LONG = f"{SUPPORTED}. {HALF}. {UNSUPPORTED}."
SHORT = "Gull {n} nests on a roof."
TEXTS = {0: LONG, 1: LONG, 2: LONG, 3: SHORT}


def make_inputs(folder: Path, texts: dict[int, str]) -> tuple[Path, Path]:
    cases, outputs = folder / "cases.jsonl", folder / "outputs.jsonl"
    write_records(
        cases,
        (
            Case(
                id=f"gull-{n}",
                kind="grounded_answer",
                messages=[{"role": "user", "content": f"What about gull {n}?"}],
                reference={},
                context=[ContextItem(id="1", request="search(gulls)", content=f"Gull {n} nests.")],
                cluster=f"pier-{n // 2}",
            )
            for n in texts
        ),
    )
    write_records(
        outputs,
        (
            Output(case_id=f"gull-{n}", system="agent", text=text.replace("{n}", str(n)))
            for n, text in texts.items()
        ),
    )
    return cases, outputs


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Three long answers and a short one."""
    return make_inputs(tmp_path, TEXTS)


def judge_at(server: ProviderServer, files: tuple[Path, Path]) -> Command:
    server.script = answers
    at = typed(base_url=server.base_url, attempts=1, out="run", model="m")
    split = typed(outputs=files[1], judge="groundedness", split_statements=True)
    return partial(fiducial, "judge", "-v", files[0], *split, *at)


@pytest.fixture
def judge(files: tuple[Path, Path], server: ProviderServer) -> Command:
    """`fiducial judge --split-statements` by groundedness, into the same folder each time."""
    return judge_at(server, files)


@dataclass(frozen=True)
class Judged:
    """What the command came to: its folder, what it printed, and what it asked."""

    folder: Path
    result: Result
    seen: list[Seen]


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The command, typed once."""
    folder = tmp_path_factory.mktemp("judged")
    with ProviderServer() as server, pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        result = judge_at(server, make_inputs(folder, TEXTS))()
        return Judged(folder, result, [*server.seen])


@pytest.fixture
def judged(judged_once: Judged, monkeypatch: pytest.MonkeyPatch) -> Judged:
    """Work in the folder of that run, which nobody changes."""
    monkeypatch.chdir(judged_once.folder)
    return judged_once


def asks_to_split(seen: Seen) -> bool:
    return seen.body.get("response_format", {}).get("json_schema", {}).get("name") == "statements"


def answer_in(seen: Seen) -> str:
    found = re.search(r"begin answer ===\n(.*?)\n=== [0-9a-f]{20} end answer", seen.text, re.DOTALL)
    assert found is not None
    return found[1]


def split(answer: str) -> Answer:
    """One statement a sentence, as a splitter that does as it is told."""
    sentences = [part.strip(" .") for part in answer.split(". ")]
    return Answer(json.dumps({"statements": [{"quote": part, "statement": part} for part in sentences]}))


def marks(text: str) -> list[int]:
    """Return the scripted judge's marks: two statements with one true, one false, or one true."""
    return [1, 0] if "partner" in text else [0] if "marten" in text else [1]


def answers(seen: Seen) -> Response:
    answer = answer_in(seen)
    if asks_to_split(seen):
        return split(answer)
    found = marks(answer)
    pieces = "\n".join(f"{number}. piece, indexes [1] <P>{mark}</P>" for number, mark in enumerate(found))
    return Answer(f"<S1>\n{pieces}\n</S1>\n<S2>{sum(found) / len(found):.2f}</S2>")


def rows(name: str = "verdicts") -> list[Verdict]:
    return list(read_records(Path(f"run/{name}.jsonl"), Verdict))


def table_rows() -> list[dict[str, Any]]:
    with RunStore(Path("run")) as store:
        return list(run_rows(store))


def by(author: str, name: str = "verdicts") -> list[Verdict]:
    return sorted((row for row in rows(name) if row.by == author), key=lambda row: (row.case_id, row.repeat))


def test_an_answer_is_the_supported_share_of_the_pieces_of_all_its_statements(judged: Judged):
    result = judged.result
    assert result.code == 0, result.err
    assert [(row.case_id, row.score) for row in by(SHARE)] == [
        ("gull-0", 0.5),
        ("gull-1", 0.5),
        ("gull-2", 0.5),
        ("gull-3", 1.0),
    ]
    first = by(SHARE)[0]
    assert first.reason == "2 of 4 pieces, in 3 statements"
    assert first.evidence["statements"][1] == {
        "text": HALF,
        "quote": HALF,
        "outcome": "graded",
        "score": 0.5,
        "pieces": 2,
    }
    assert f"{SHARE}: 4 graded" in result.out
    assert Counter(map(asks_to_split, judged.seen)) == {True: 3, False: 10}


@pytest.mark.usefixtures("judged")
def test_every_statement_is_a_verdict_of_its_own_under_a_key_of_its_own():
    statements = by(JUDGE)
    assert [row.outcome for row in statements] == ["graded"] * 10
    assert len({(row.key, row.by, row.repeat) for row in rows()}) == len(rows()) == 14
    assert all(re.fullmatch(r"gull-[0-3]#[0-9a-f]{16}", row.case_id) for row in statements)
    assert all(row.raw for row in statements)


def test_a_short_answer_is_one_statement_and_an_empty_one_too(
    tmp_path: Path, judge: Command, server: ProviderServer
):
    make_inputs(tmp_path, {0: SHORT, 1: ""})
    judge()
    assert not any(map(asks_to_split, server.seen))
    assert [row.evidence["statements"][0]["whole_answer"] for row in by(SHARE)] == [True, True]
    assert Path("run/statements.jsonl").read_bytes() == b""


def test_the_judge_sees_one_statement_with_the_question_and_all_results(judged: Judged):
    shown = [seen for seen in judged.seen if not asks_to_split(seen)]
    assert Counter(answer_in(seen) for seen in shown)[HALF] == 3
    assert all("nests." in seen.text and "What about gull" in seen.text for seen in shown)


def test_the_same_command_again_asks_nothing(judge: Command, server: ProviderServer):
    judge()
    before, asked = rows(), len(server.seen)
    assert judge("--no-cache").code == 0
    assert (rows(), len(server.seen)) == (before, asked)


def test_an_answer_that_could_not_be_split_is_unparsable_and_never_0(judge: Command, server: ProviderServer):
    def script(seen: Seen) -> Response:
        return (
            Answer("I would rather not") if asks_to_split(seen) and "Gull 1" in seen.text else answers(seen)
        )

    server.script = script
    assert judge().code == 0
    assert [(row.outcome, row.score) for row in by(SHARE)] == [
        ("graded", 0.5),
        ("unparsable", None),
        ("graded", 0.5),
        ("graded", 1.0),
    ]
    reason = by(SHARE)[1].reason
    assert reason is not None
    assert reason.startswith("the answer could not be split: the reply is not JSON")
    (failed,) = [row for row in by(SPLIT, "statements") if row.outcome == "unparsable"]
    assert failed.usage is not None
    assert (failed.usage.reasked, failed.raw) == (1, "I would rather not")


def test_a_split_whose_call_failed_is_asked_again_and_then_counts(judge: Command, server: ProviderServer):
    def script(seen: Seen) -> Response:
        return Status(500) if asks_to_split(seen) and "Gull 1" in seen.text else answers(seen)

    server.script = script
    result = judge()
    assert (result.code, by(SHARE)[1].outcome) == (3, "failed")
    assert "1 verdict missing, because calls failed" in result.out
    server.script = answers
    assert judge().code == 0
    assert [row.outcome for row in by(SHARE)] == ["graded", "failed", "graded", "graded", "graded"]
    assert [row["score"] for row in table_rows() if row["judge"] == SHARE] == [0.5, 0.5, 0.5, 1.0]


def test_a_statement_that_cannot_be_read_leaves_its_answer_without_a_score(
    judge: Command, server: ProviderServer
):
    def script(seen: Seen) -> Response:
        hopeless = not asks_to_split(seen) and answer_in(seen).startswith("Gull 2 nests on the roof")
        return Answer("hm") if hopeless else answers(seen)

    server.script = script
    judge()
    assert [row.outcome for row in by(SHARE)] == ["graded", "graded", "unparsable", "graded"]
    third = by(SHARE)[2]
    assert third.score is None
    assert third.reason is not None
    assert third.reason.startswith("1 of 3 statements without a score: no score")
    assert [one.get("score") for one in third.evidence["statements"]] == [None, 0.5, 0.0]


def test_after_failures_only_what_is_missing_is_asked(judge: Command, server: ProviderServer):
    def interrupted(seen: Seen) -> Response:
        if not asks_to_split(seen) and "marten" in answer_in(seen):
            return Status(503)
        return answers(seen)

    server.script = interrupted
    assert judge("--no-cache").code == 3
    assert [row.outcome for row in by(SHARE)] == ["failed"] * 3 + ["graded"]
    server.script, server.seen = answers, []
    assert judge("--no-cache").code == 0
    assert ["marten" in answer_in(seen) for seen in server.seen] == [True] * 3
    standing = {row.case_id: row for row in by(SHARE)}
    assert [row.score for row in standing.values()] == [0.5, 0.5, 0.5, 1.0]


@pytest.mark.attack("adversity")
def test_whatever_a_kill_left_of_the_files_the_same_command_goes_on(judge: Command, server: ProviderServer):
    judge("--no-cache")
    complete = {(row.key, row.by): row.score for row in rows()}
    whole = Path("run").rename("whole")
    for verdicts, splits in ((0.0, 0.0), (0.3, 0.5), (0.97, 1.0), (0.97, 0.5)):
        shutil.copytree(whole, "run")
        for name, share in (("verdicts", verdicts), ("statements", splits)):
            path = Path(f"run/{name}.jsonl")
            path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
        server.seen = []
        assert judge("--no-cache").code == 0
        assert {(row.key, row.by): row.score for row in rows()} == complete
        assert len(rows()) == len(complete)
        assert len(server.seen) <= (1 - verdicts) * 10 + (1 - splits) * 3 + 2
        shutil.rmtree("run")


def test_repeats_judge_the_same_statements_again(judge: Command, server: ProviderServer):
    judge("--repeats", "2")
    assert Counter(map(asks_to_split, server.seen)) == {True: 3, False: 20}
    assert [(row.repeat, row.score) for row in by(SHARE)][:2] == [(0, 0.5), (1, 0.5)]
    assert len({(row.key, row.by, row.repeat) for row in rows()}) == len(rows()) == 28


def test_another_model_may_split(judge: Command, server: ProviderServer):
    assert judge("--split-model", "small").code == 0
    models = Counter((seen.body["model"], asks_to_split(seen)) for seen in server.seen)
    assert models == {("small", True): 3, ("m", False): 10}
    assert len(by("statements/split@small", "statements")) == 3


def test_what_splitting_cost_is_counted_apart(judged: Judged):
    assert f"{SPLIT}: 3 graded" in judged.result.out
    manifest = json.loads(Path("run/run.json").read_text())
    (spent,) = [use for use in manifest["judges"] if use["name"] == SPLIT]
    assert (spent["calls"], spent["prompt_tokens"]) == (3, 300)


@pytest.mark.usefixtures("judged")
def test_rates_are_over_answers_and_never_over_statements():
    (system,) = json.loads(Path("run/run.json").read_text())["results"]
    assert {stratum["by"]: (stratum["n"], stratum["of"]) for stratum in system["strata"]} == {SHARE: (4, 4)}


def test_in_tables_the_rows_of_a_statement_share_a_cluster_with_those_of_its_answer(judge: Command):
    judge("--repeats", "2")
    clusters: dict[str, set[str]] = {}
    for row in table_rows():
        clusters.setdefault(row["item_id"].partition("|")[0].partition("#")[0], set()).add(row["cluster"])
    assert clusters == {
        "gull-0": {"pier-0"},
        "gull-1": {"pier-0"},
        "gull-2": {"pier-1"},
        "gull-3": {"pier-1"},
    }


def test_a_jury_counts_answers(files: tuple[Path, Path], server: ProviderServer):
    server.script = answers
    members = ["groundedness@m", "groundedness@n"]
    at = ("--base-url", server.base_url, "--out", "run", "--split-statements", "--jury", "mean")
    result = fiducial("judge", "-v", files[0], "--outputs", files[1], "--judge", *members, *at)
    assert result.code == 0, result.err
    together = by(f"jury/mean@{SHARE}+{SHARE.replace('@m', '@n')}")
    assert [row.score for row in together] == [0.5, 0.5, 0.5, 1.0]


def test_a_dry_run_foresees_the_splits_and_about_as_many_statements(judge: Command, server: ProviderServer):
    result = judge("--dry-run")
    assert (result.code, server.seen) == (0, [])
    assert f"{SPLIT}\n  calls: 3 for 3 verdicts" in result.out
    assert f"{JUDGE}\n  calls: 10 for 10 verdicts" in result.out
    judge()
    again = judge("--dry-run")
    assert f"{SPLIT}\n  nothing to split: no unsplit answer exceeds 200 characters\n{JUDGE}" in again.out
    assert "calls: 0 for 0 verdicts" in again.out


def test_a_budget_stops_splits_too(judge: Command, server: ProviderServer):
    result = judge("--max-calls", "2", "--concurrency", "1")
    assert (result.code, len(server.seen)) == (3, 2)
    assert Counter(row.outcome for row in by(SHARE))["failed"] >= 1
    assert judge().code == 0


def test_the_raw_replies_are_read_again_and_answers_made_anew(judge: Command):
    judge()
    before = sorted((row.case_id, row.score) for row in by(SHARE))
    result = fiducial("judge", "--reparse", "run")
    assert result.code == 0, result.err
    assert f"{JUDGE}: 10 replies read again, 0 verdicts changed" in result.out
    assert sorted((row.case_id, row.score) for row in by(SHARE)) == before
    assert judge("--no-cache").code == 0
    assert len(rows()) == 14


def test_a_batch_endpoint_splits_in_one_batch_and_judges_in_the_next(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

    def reply(line: dict[str, object]) -> str:
        seen = Seen("", {}, b"", line["body"], 1, 0.0)  # type: ignore[arg-type]
        answer = answers(seen)
        assert isinstance(answer, Answer)
        assert answer.text is not None
        return answer.text

    with BatchServer(answer=reply) as batches:
        how = typed(base_url=batches.base_url, batch=True, poll_seconds="0", out="run", model="m")
        split = ("--judge", "groundedness", "--split-statements")
        result = fiducial("judge", "-v", files[0], "--outputs", files[1], *split, *how)
        assert result.code == 0, result.err
        assert [len(lines) for lines in batches.asked()] == [3, 10]
    assert [row.score for row in by(SHARE)] == [0.5, 0.5, 0.5, 1.0]


def test_run_splits_what_is_open(files: tuple[Path, Path], server: ProviderServer):
    server.script = answers
    at = ("--base-url", server.base_url, "--out", "run", "--model", "m", "--judge", "groundedness")
    result = fiducial("run", "-v", files[0], "--outputs", files[1], "--split-statements", *at)
    assert result.code == 0, result.err
    assert [row.score for row in by(SHARE)] == [0.5, 0.5, 0.5, 1.0]
    (system,) = json.loads(Path("run/run.json").read_text())["results"]
    assert [stratum["n"] for stratum in system["strata"] if stratum["by"] == SHARE] == [4]


def test_a_judge_that_is_called_says_of_an_answer_what_a_run_says(
    judge: Command, files: tuple[Path, Path], server: ProviderServer
):
    judge()
    of_run = by(SHARE)
    way: dict[str, Any] = {"base_url": server.base_url, "api_key": "k", "cache": False}
    called = fd.judge("groundedness", model="m", split_statements=True, **way)
    pairs = zip(read_records(files[0], Case), read_records(files[1], Output), strict=True)
    said = [called(case, output) for case, output in pairs]
    assert [(verdict.by, verdict.score, verdict.evidence) for verdict in said] == [
        (verdict.by, verdict.score, verdict.evidence) for verdict in of_run
    ]
    called.close()
    with pytest.raises(UsageError, match="as a whole"):
        fd.judge("rubric", model="m", split_statements=True, **way)


@pytest.mark.usefixtures("judged")
def test_the_report_shows_the_answers():
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert any("2 of 4 pieces, in 3 statements" in text for text in texts_of(page))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--judge", "memory_answer", "--split-statements"], "grade a whole answer"),
        (["--judge", "groundedness", "--split-model", "x"], "goes with --split-statements"),
        (["--judge", "statements/split"], "only splits answers into statements"),
        (
            ["--judge", "groundedness", "--split-statements", "--split-model", "baseline"],
            "cannot split an answer",
        ),
    ],
)
def test_options_that_do_not_go_together_are_a_usage_error(
    files: tuple[Path, Path], args: list[str], said: str
):
    at = ("--base-url", "http://127.0.0.1:9/v1", "--out", "run", "--model", "m")
    result = fiducial("judge", "-v", files[0], "--outputs", files[1], *args, *at)
    assert (result.code, said in result.err) == (2, True), result.err


@pytest.mark.usefixtures("judged")
def test_a_review_of_a_judged_run_draws_whole_answers(tmp_path: Path):
    result = fiducial("review", "run", "--out", tmp_path / "page.html")
    assert result.code == 0, result.err
    assert "4 of 4" in result.out


def test_two_runs_are_compared_by_answers_and_not_by_statements(judge: Command):
    for name in ("one", "two"):
        assert judge(out=name).code == 0
    compared = fd.diff("one", "two")
    assert (compared.outputs, compared.only_before, compared.only_after) == (4, 0, 0)
