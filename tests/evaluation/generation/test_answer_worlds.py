"""Scripted models that search a memory and the web, with known right answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generating import Scripted, calling
from tool_calls import tool

import fiducial as fd
from fiducial.api.agent_environments import scenes_of
from fiducial.errors import InputError, ProviderError
from fiducial.evaluation.generation.answer_worlds import AnswerWorlds
from fiducial.evaluation.generation.attempt import MadeOutput, NoOutputError
from fiducial.evaluation.generation.memory.histories import Conversation, Remembered
from fiducial.evaluation.generation.model_agent import ModelAgent, ModelSettings
from fiducial.evaluation.generation.scene import Scenes
from fiducial.judges import Reply, Request
from fiducial.judges.loop_thread import run_sync
from fiducial.records import Case

TOOLS = {
    "MemoryAPI_kv": {
        "core_memory_add": ["key", "value"],
        "archival_memory_add": ["key", "value"],
        "archival_memory_retrieve": ["key"],
    },
    "MemoryAPI_vector": {"archival_memory_add": ["text"], "archival_memory_retrieve": ["query"]},
    "MemoryAPI_rec_sum": {"memory_append": ["text"], "memory_retrieve": []},
    "WebSearchAPI": {"search_engine_query": ["keywords"], "fetch_url_content": ["url", "mode"]},
}
HISTORY = {
    "ada": [
        Conversation(
            history="ada", id="0", messages=[{"role": "user", "content": "I am Ada and live in Lucca."}]
        ),
        Conversation(
            history="ada",
            id="1",
            messages=[[{"role": "user", "content": "My dog is Rex."}], [{"role": "user", "content": "Bye!"}]],
        ),
    ]
}


def question(world: str, kind: str = "memory_answer", **reference: Any) -> Case:
    documents = [
        tool(name, {each: {"type": "string"} for each in names}, about=name)
        for name, names in TOOLS[world].items()
    ]
    return Case(
        id="q",
        kind=kind,
        messages=[{"role": "user", "content": "Where do I live?"}],
        tools=documents,
        reference={"answers": ["Lucca"], "classes": [world], **reference},
    )


def worked(
    case: Case, script: Callable[[Request], Reply], scenes: Scenes | None = None, **settings: Any
) -> tuple[MadeOutput, Scripted]:
    provider = Scripted(script=script)
    agent = ModelAgent(
        ModelSettings(model="m", **settings), provider, scenes or scenes_of({}, histories=HISTORY)
    )
    return run_sync(agent.work(case, 0)), provider


def heard(request: Request, role: str) -> str:
    """The last message of a role."""
    return next((message["content"] for message in reversed(request.messages) if message["role"] == role), "")


class Careful:
    """Writes everything down by one call, and looks it up by another where it does not see it."""

    def __init__(self, write: Callable[[str], Reply], look: Callable[[], Reply] = Reply) -> None:
        self.write, self.look = write, look

    def __call__(self, request: Request) -> Reply:
        said, last = heard(request, "user"), request.messages[-1]
        if last["role"] == "tool":
            return Reply(text=f"'answer': {last['content']}" if "Where" in said else "Noted.")
        if "Where" not in said:
            return self.write(said) if "live" in said else Reply(text="Nice.")
        seen = heard(request, "system")
        return Reply(text="You live in Lucca.") if "Lucca" in seen else self.look()


CAREFUL = {
    "at hand": (
        "MemoryAPI_kv",
        Careful(lambda said: calling("core_memory_add", {"key": "home", "value": said})),
    ),
    "by key": (
        "MemoryAPI_kv",
        Careful(
            lambda said: calling("archival_memory_add", {"key": "home", "value": said}),
            lambda: calling("archival_memory_retrieve", {"key": "home"}),
        ),
    ),
    "by likeness": (
        "MemoryAPI_vector",
        Careful(
            lambda said: calling("archival_memory_add", {"text": said}),
            lambda: calling("archival_memory_retrieve", {"query": "where Ada lives"}),
        ),
    ),
    "as a text": ("MemoryAPI_rec_sum", Careful(lambda said: calling("memory_append", {"text": said}))),
}


@pytest.mark.parametrize("way", CAREFUL)
def test_a_model_that_writes_down_what_it_hears_knows_it_later(way: str):
    world, model = CAREFUL[way]
    case = question(world, history="ada")
    made, provider = worked(case, model)
    assert fd.check(case, made.output, rules="bfcl").score == 1.0
    assert any("My dog is Rex." in heard(request, "user") for request in provider.asked)
    assert made.output.turns is not None
    assert len(made.output.turns) == 1, "the conversations before it are no part of the output"


def test_a_model_that_writes_nothing_down_does_not_know():
    case = question("MemoryAPI_kv", history="ada")
    made, _ = worked(
        case,
        lambda request: Reply(text="Somewhere warm." if "(nothing yet)" in heard(request, "system") else "?"),
    )
    assert fd.check(case, made.output, rules="bfcl").score == 0.0


def test_instructions_and_memory_stand_in_one_prompt_where_calls_are_written_in_the_text():
    def model(request: Request) -> Reply:
        seen, said = heard(request, "system"), heard(request, "user")
        if "I am Ada" in said:
            return Reply(text="[core_memory_add(key='home', value='Lucca')]")
        return Reply(text="Lucca it is." if "home: Lucca" in seen and "Where" in said else "Well.")

    case = question("MemoryAPI_kv", history="ada")
    made, _ = worked(case, model, mode="prompt")
    assert fd.check(case, made.output, rules="bfcl").score == 1.0


def web(tmp_path: Path) -> str:
    page = {"url": "https://ada.example/home", "title": "Ada", "html": "<p>Ada lives in <b>Lucca</b>.</p>"}
    (tmp_path / "pages.jsonl").write_text(json.dumps(page) + "\n")
    return str(tmp_path / "pages.jsonl")


def surfer(request: Request) -> Reply:
    last = request.messages[-1]
    if last["role"] == "user":
        return calling("search_engine_query", {"keywords": "Ada lives"})
    if "href" in last["content"]:
        return calling(
            "fetch_url_content",
            {"url": json.loads(last["content"].replace("'", '"'))[0]["href"], "mode": "markdown"},
        )
    return Reply(text=last["content"])


def test_a_model_finds_an_answer_on_the_web(tmp_path: Path):
    case = question(
        "WebSearchAPI", "web_search_answer", initial_config={"WebSearchAPI": {"show_snippet": False}}
    )
    made, _ = worked(case, surfer, scenes_of({}, search=web(tmp_path)))
    assert fd.check(case, made.output, rules="bfcl").score == 1.0
    broken = question(
        "WebSearchAPI", "web_search_answer", initial_config={"WebSearchAPI": {"failure_rate": 1}}
    )
    made, _ = worked(broken, surfer, scenes_of({}, search=web(tmp_path)))
    assert fd.check(broken, made.output, rules="bfcl").score == 0.0


def test_a_case_without_a_web_is_passed_over_and_says_what_is_missing():
    with pytest.raises(NoOutputError, match="search="):
        worked(question("WebSearchAPI", "web_search_answer"), surfer)


class Offline:
    """A search service that is down."""

    blocking = True

    def search(self, query: str, count: int, region: str) -> Any:
        raise ProviderError("the search service does not answer: 500")

    def fetch(self, url: str) -> Any:
        raise AssertionError(url)


def test_a_search_service_that_is_down_is_no_output_of_the_models():
    scenes = AnswerWorlds({}, Remembered({}), Offline())
    with pytest.raises(ProviderError, match="does not answer"):
        worked(question("WebSearchAPI", "web_search_answer"), surfer, scenes)


class Library:
    """A world of one's own."""

    def load(self, config: dict[str, Any]) -> None:
        self.towns: dict[str, str] = config["towns"]

    def town_of(self, name: str) -> str:
        return self.towns[name]


def test_answers_are_looked_for_in_worlds_of_ones_own_too():
    case = Case(
        id="q",
        kind="memory_answer",
        messages=[{"role": "user", "content": "Where do I live?"}],
        tools=[tool("town_of", {"name": {"type": "string"}})],
        reference={
            "answers": ["Lucca"],
            "classes": ["Library"],
            "initial_config": {"Library": {"towns": {"Ada": "Lucca"}}},
        },
    )
    made, _ = worked(
        case,
        lambda request: (
            Reply(text=request.messages[-1]["content"])
            if request.messages[-1]["role"] == "tool"
            else calling("town_of", {"name": "Ada"})
        ),
        scenes_of({"Library": Library}),
    )
    assert fd.check(case, made.output, rules="bfcl").score == 1.0


def test_a_world_that_is_not_known_or_not_configured_is_refused_before_anything_is_done():
    scenes = scenes_of({"Library": Library})
    with pytest.raises(InputError, match="case 'q': no environment is called 'Nowhere'"):
        scenes.examine(
            Case(id="q", kind="memory_answer", reference={"answers": ["x"], "classes": ["Nowhere"]})
        )
    with pytest.raises(InputError, match="does not take its configuration"):
        scenes.examine(
            Case(id="q", kind="memory_answer", reference={"answers": ["x"], "classes": ["Library"]})
        )
