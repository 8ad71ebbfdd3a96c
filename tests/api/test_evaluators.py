from __future__ import annotations

import asyncio
import inspect
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from flow_rows import ROWS
from provider_server import Answer, ProviderServer, Status, in_the_form_asked_for

import fiducial as fd
from fiducial.api.evaluators import EVALUATORS, JudgeEvaluator, Rubric, ToolCallAccuracy, flex_flow
from fiducial.errors import ConfigurationError, UsageError
from fiducial.judges import shipped_prompts

E = TypeVar("E", bound=JudgeEvaluator[...])

every_judge = pytest.mark.parametrize("judge", EVALUATORS)


@pytest.fixture
def make(server: ProviderServer) -> Iterator[Callable[..., Any]]:
    """Makes an evaluator at the loopback server; closed at the end."""
    made: list[JudgeEvaluator[...]] = []

    def call(kind: type[E], **settings: Any) -> E:
        evaluator = kind("m", base_url=server.base_url, api_key="k", **settings)
        made.append(evaluator)
        return evaluator

    yield call
    for evaluator in made:
        evaluator.close()


def test_every_judge_has_a_class_and_a_flow(tmp_path: Path):
    judges = {name.judge for name in shipped_prompts()}
    assert set(EVALUATORS) == judges == set(ROWS)
    for judge, evaluator in EVALUATORS.items():
        entry = f"entry: fiducial.api.evaluators:{evaluator.__name__}\n"
        assert (flex_flow(judge, tmp_path / judge) / "flow.flex.yaml").read_text().endswith(entry)


def test_a_flow_that_is_not_there_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match="there are groundedness, "):
        flex_flow("../groundedness", tmp_path)


@every_judge
def test_a_row_becomes_columns_in_azures_names(make: Callable[..., Any], judge: str):
    row = make(EVALUATORS[judge])(**ROWS[judge])
    assert {name.removeprefix(judge) for name in row} == {
        "",
        "_score",
        "_passed",
        "_result",
        "_reason",
        "_status",
        "_threshold",
        "_properties",
    }
    assert (row[judge], row[f"{judge}_score"], row[f"{judge}_result"], row[f"{judge}_status"]) == (
        1.0,
        1.0,
        "pass",
        "completed",
    )
    assert row[f"{judge}_properties"]["by"].startswith(f"{judge}/")


@every_judge
def test_it_can_be_awaited(make: Callable[..., Any], judge: str):
    row = asyncio.run(make(EVALUATORS[judge]).acall(**ROWS[judge]))
    assert row[f"{judge}_score"] == 1.0


@every_judge
def test_what_stands_in_the_row_stands_in_the_request(
    make: Callable[..., Any], server: ProviderServer, judge: str
):
    make(EVALUATORS[judge])(**ROWS[judge])
    assert "Rome" in server.seen[0].text


def test_it_may_be_called_under_a_running_loop_as_in_a_notebook(make: Callable[..., Any]):
    evaluator = make(Rubric)

    async def cell() -> list[Any]:
        waited = evaluator(**ROWS["rubric"])
        awaited = await asyncio.gather(*(evaluator.acall(**ROWS["rubric"]) for _ in range(3)))
        return [waited, *awaited]

    assert [row["rubric_score"] for row in asyncio.run(cell())] == [1.0] * 4


def test_threads_and_loops_share_one_pool_of_connections(make: Callable[..., Any], server: ProviderServer):
    evaluator = make(Rubric, concurrency=4)
    rows = [{**ROWS["rubric"], "query": f"City {number}?"} for number in range(40)]

    def judged(row: dict[str, Any]) -> dict[str, Any]:
        return evaluator(**row)

    with ThreadPoolExecutor(16) as threads:
        results = list(threads.map(judged, rows))
    results.extend(asyncio.run(evaluator.acall(**row)) for row in rows[:3])
    assert {result["rubric_score"] for result in results} == {1.0}
    assert server.connections <= 4


def test_an_instance_survives_pickling_and_closing(make: Callable[..., Any]):
    evaluator = make(Rubric, threshold=0.9)
    evaluator(**ROWS["rubric"])
    copy = pickle.loads(pickle.dumps(evaluator))
    assert copy(**ROWS["rubric"])["rubric_threshold"] == 0.9
    copy.close()
    evaluator.close()
    assert evaluator(**ROWS["rubric"])["rubric_score"] == 1.0


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer("who knows"), "unparsable"),
        (Answer(None, refusal="no"), "refused"),
        (Status(400), "failed"),
    ],
    ids=str,
)
def test_what_could_not_be_graded_has_no_score_and_says_why(
    make: Callable[..., Any], server: ProviderServer, answer: Answer | Status, status: str
):
    server.script = lambda seen: answer
    row = make(Rubric)(**ROWS["rubric"])
    assert (row["rubric"], row["rubric_score"], row["rubric_passed"]) == (None, None, None)
    assert (row["rubric_result"], row["rubric_status"]) == ("unknown", status)
    assert row["rubric_reason"]


def test_a_row_without_what_is_judged_by_is_skipped_without_a_call(
    make: Callable[..., Any], server: ProviderServer
):
    row = make(EVALUATORS["groundedness"])(response="Rome", context=[])
    assert (row["groundedness_result"], row["groundedness_status"]) == ("not_applicable", "skipped")
    assert server.seen == []


def test_the_threshold_decides_what_passes(make: Callable[..., Any], server: ProviderServer):
    server.script = in_the_form_asked_for(lambda seen: 0)
    assert make(Rubric)(**ROWS["rubric"])["rubric_result"] == "fail"
    assert make(Rubric, threshold=0.0)(**ROWS["rubric"])["rubric_result"] == "pass"


def test_what_passes_is_the_judges_own_to_say_unless_told(make: Callable[..., Any]):
    judges = [make(evaluator).threshold for evaluator in EVALUATORS.values()]
    assert judges == [
        fd.judge(name, model="baseline-twin", base_url="http://127.0.0.1:9/v1").pass_at for name in EVALUATORS
    ]
    assert 1.0 in judges
    assert make(Rubric, threshold="0.25").threshold == 0.25


def test_the_aggregate_says_how_many_rows_are_behind_the_mean(make: Callable[..., Any]):
    rows = [{"rubric_score": score, "rubric_status": status} for score, status in
            ((1.0, "completed"), (0.0, "completed"), (None, "unparsable"), (None, "failed"))]  # fmt: skip
    assert make(Rubric).__aggregate__(rows) == {
        "rubric_mean": 0.5,
        "rubric_graded": 2,
        "rubric_rows": 4,
        "rubric_completed": 2,
        "rubric_unparsable": 1,
        "rubric_failed": 1,
    }
    assert "rubric_mean" not in make(Rubric).__aggregate__(rows[2:])


def test_an_unknown_variant_is_said_at_once():
    with pytest.raises(UsageError, match="no judge 'rubric/nope'"):
        Rubric("m", "nope")


def test_azures_model_configuration_is_understood(server: ProviderServer):
    evaluator = Rubric.from_model_config(
        {"type": "openai", "model": "m", "base_url": server.base_url, "api_key": "k"}
    )
    assert evaluator(**ROWS["rubric"])["rubric_score"] == 1.0
    evaluator.close()
    azure = Rubric.from_model_config(
        {
            "type": "azure_openai",
            "azure_deployment": "d",
            "azure_endpoint": server.base_url.removesuffix("/v1"),
            "api_key": "k",
            "api_version": "2024-06-01",
        }
    )
    assert azure(**ROWS["rubric"])["rubric_score"] == 1.0
    assert server.seen[-1].path == "/openai/deployments/d/chat/completions?api-version=2024-06-01"
    azure.close()
    with pytest.raises(ConfigurationError, match="lacks 'model'"):
        Rubric.from_model_config({"type": "openai"})


def test_without_any_endpoint_it_is_said_at_once_what_to_set(monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match="set OPENAI_API_KEY"):
        Rubric("m")


def test_a_connection_of_promptflows_says_where_the_model_is(
    server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TEAM_KEY", "sk-of-the-team")
    file = tmp_path / "team.yml"
    file.write_text(f"type: open_ai\napi_key: ${{env:TEAM_KEY}}\nbase_url: {server.base_url}\n")
    evaluator = Rubric("m", connection=str(file))
    copy = pickle.loads(pickle.dumps(evaluator))
    assert b"sk-of-the-team" not in pickle.dumps(evaluator)
    assert [each(**ROWS["rubric"])["rubric_score"] for each in (evaluator, copy)] == [1.0, 1.0]
    assert server.seen[-1].headers["authorization"] == "Bearer sk-of-the-team"


@every_judge
def test_runners_and_people_read_which_columns_it_takes(judge: str):
    kind = EVALUATORS[judge]
    taken = inspect.signature(kind.__call__).parameters
    assert set(ROWS[judge]) <= set(taken)
    assert inspect.signature(kind.acall).parameters == taken
    assert {parameter.annotation for name, parameter in taken.items() if name != "self"} <= {str, list}
    assert str(inspect.getdoc(kind)).startswith("Judge ")


def test_nothing_but_the_columns_of_a_judge_is_taken(make: Callable[..., Any]):
    with pytest.raises(TypeError, match="unexpected keyword argument 'context'"):
        make(Rubric)(**ROWS["rubric"], context=[])


def test_a_conversation_may_be_the_query_and_calls_may_stand_in_the_text(make: Callable[..., Any]):
    row = make(ToolCallAccuracy)(
        query=[{"role": "user", "content": "Book."}], tool_definitions=[], response="[book()]"
    )
    assert row["tool_call_accuracy_status"] == "completed"
