"""Judges of other tools are asked round by round by a server on loopback, and see no label."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scripts import script

from fiducial.judges.transport.exchange import Reply, Request, make_request

tool_requests = script("benchmarks/tool_requests.py")
asking = script("benchmarks/tool_judges/programs/asking.py")
guard = script("benchmarks/tool_judges/guard/sitecustomize.py")
rounds: Any = import_module("tool_judges.asked_rounds")
known: Any = import_module("tool_judges.known_replies")
process: Any = import_module("tool_judges.tool_process")
scripted: Any = import_module("tool_judges.scripted_replies")
server: Any = import_module("tool_judges.replaying_server")
decisions: Any = import_module("tool_judges.decision_asking")
drawn: Any = import_module("tool_judges.drawn_outputs")

CHAT = "/v1/chat/completions"
VERDICTS = {
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": {"$ref": "#/$defs/Verdict"}}},
    "$defs": {
        "Verdict": {
            "type": "object",
            "properties": {"verdict": {"enum": ["yes", "no"]}, "score": {"anyOf": [{"type": "integer"}]}},
        }
    },
}


def post(base_url: str, body: dict[str, Any], path: str = "/chat/completions") -> dict[str, Any]:
    request = urllib.request.Request(base_url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request) as answered:
        return json.load(answered)


def chat(text: str, **fields: Any) -> dict[str, Any]:
    return {"model": "gpt-x", "messages": [{"role": "user", "content": text}], **fields}


def two_steps(base_url: str) -> Any:
    """Ask for claims, and then about the claims of the reply, as judges of tools do."""
    said: list[dict[str, Any]] = []
    for item in range(2):
        try:
            claims = post(base_url, chat(f"Claims of {item}?"))["choices"][0]["message"]["content"]
            post(base_url, chat(f"Is this right: {claims}"))
            said.append({"item": item, "score": 1.0, "passed": True})
        except urllib.error.HTTPError as error:
            error.close()
            said.append({"item": item, "score": None, "error": str(error)})
    return process.ToolRound(said, [])


def numbered(request: Request) -> Reply:
    return Reply(text=str(request.messages[-1]["content"])[-4:], served_by="m")


def test_rounds_close_when_every_reply_leads_to_no_further_request(tmp_path: Path):
    played = rounds.play_rounds(
        "tool", two_steps, known.KnownReplies(), tmp_path, model="m", scripted=numbered
    )
    assert [(each.number, len(each.requests)) for each in played.rounds] == [(1, 2), (2, 2)]
    assert (played.closed, played.answered, rounds.state(played)) == (True, 4, "closed")
    assert [score["score"] for score in rounds.scores(played).values()] == [1.0, 1.0]


def test_a_round_waits_for_replies_and_the_same_command_goes_on_with_them(tmp_path: Path):
    def played(*recordings: Path) -> Any:
        return rounds.play_rounds("tool", two_steps, known.KnownReplies(recordings), tmp_path, model="m")

    for number in (1, 2):
        recordings = sorted(tmp_path.glob("*.replies.jsonl"))
        waiting = played(*recordings)
        assert [each.number for each in waiting.rounds] == [number]
        assert rounds.scores(waiting) == {}
        assert played(*recordings).rounds[0].number == number, "asking again makes no further round"
        lines = [json.loads(line) for line in waiting.rounds[0].file.read_text().splitlines()]
        assert {line["body"]["model"] for line in lines} == {"m"}
        assert [line["custom_id"] for line in lines] == [
            request.key for request in waiting.rounds[0].requests
        ]
        given = {request.key: numbered(request) for request in waiting.rounds[0].requests}
        known.write_replies(waiting.rounds[0].requests, given, tmp_path / f"{number}.replies.jsonl")
    assert played(*tmp_path.glob("*.replies.jsonl")).closed


def test_results_of_a_batch_endpoint_are_replies(tmp_path: Path):
    waiting = rounds.play_rounds("tool", two_steps, known.KnownReplies(), tmp_path, model="m")
    body = {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}
    lines = [
        {"custom_id": request.key, "response": {"status_code": 200, "body": body}}
        for request in waiting.rounds[0].requests
    ]
    results = tmp_path / "results.jsonl"
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with closing(known.KnownReplies((), [results])) as replies:
        found = rounds.play_rounds("tool", two_steps, replies, tmp_path, model="m")
    assert [(each.number, len(each.requests)) for each in found.rounds] == [(2, 1)]


def test_a_tool_whose_requests_never_repeat_is_given_up_and_has_no_scores(tmp_path: Path):
    asked: list[int] = []

    def never_alike(base_url: str) -> Any:
        asked.append(1)
        with pytest.raises(urllib.error.HTTPError) as found:
            post(base_url, chat(f"At {len(asked)}?"))
        found.value.close()
        return process.ToolRound([{"item": 0, "score": 0.0, "passed": False}], ["example.org"])

    played = rounds.play_rounds(
        "tool", never_alike, known.KnownReplies(), tmp_path, model="m", scripted=numbered
    )
    assert (played.closed, len(played.rounds)) == (False, rounds.MAX_ROUNDS)
    assert (rounds.scores(played), played.refused) == ({}, ["address example.org"])


@pytest.fixture
def replies() -> Any:
    found = known.KnownReplies()
    found.add({make_request("m", chat("Hello")["messages"], {"temperature": 0}).key: Reply(text="Hi")})
    return found


def test_a_reply_is_found_by_what_is_asked_whatever_model_the_tool_names(replies: Any):
    with server.ReplayingServer(replies, "m") as running:
        assert running.base_url.startswith("http://127.0.0.1:")
        for name in ("gpt-x", "gpt-y"):
            answered = post(running.base_url, {**chat("Hello", temperature=0), "model": name})
            assert answered["choices"][0]["message"]["content"] == "Hi"
            assert answered["model"] == "m"
    assert (len(running.answered), running.open) == (1, {})


def test_a_request_without_a_reply_is_kept_and_refused_with_a_status_that_is_not_retried(replies: Any):
    running = server.ReplayingServer(replies, "m")
    status, body = running.exchange(CHAT, chat("Hello", temperature=1))
    assert (status, body["error"]["code"]) == (403, "not_recorded")
    assert [each.parameters for each in running.open.values()] == [{"temperature": 1}]


@pytest.mark.parametrize(
    ("path", "body"), [("/v1/embeddings", {"input": "x"}), (CHAT, chat("Hello", stream=True)), (CHAT, None)]
)
def test_what_no_recording_can_hold_is_refused_and_counted(replies: Any, path: str, body: Any):
    running = server.ReplayingServer(replies, "m")
    status, _ = running.exchange(path, body)
    assert (status, sum(running.refused.values()), running.open) == (501, 1, {})


def test_a_text_is_delivered_as_the_arguments_of_the_one_function_that_is_forced():
    tools = [{"type": "function", "function": {"name": "grade", "parameters": VERDICTS}}]
    for choice in ({"type": "function", "function": {"name": "grade"}}, "required"):
        request = make_request("m", [], {"tools": tools, "tool_choice": choice})
        found = server.chat_completion(request, scripted.scripted_reply(request), "m")["choices"][0]
        [call] = found["message"]["tool_calls"]
        assert call["function"]["name"] == "grade"
        assert json.loads(call["function"]["arguments"])["verdicts"]
    free = make_request("m", [], {"tools": tools, "tool_choice": "auto"})
    assert server.chat_completion(free, Reply(text="Hi"), "m")["choices"][0]["message"]["content"] == "Hi"


def test_a_scripted_reply_keeps_to_the_schema_and_says_whose_it_is():
    wanted = {"response_format": {"type": "json_schema", "json_schema": {"schema": VERDICTS}}}
    reply = scripted.scripted_reply(make_request("m", [], wanted))
    [verdict] = json.loads(reply.text)["verdicts"]
    assert verdict["verdict"] in {"yes", "no"}
    assert verdict["score"] in {0, 1}
    assert reply.served_by == scripted.SCRIPTED


def test_a_schema_that_stands_in_the_prompt_is_kept_to():
    prompt = f"Answer by this json_schema:\n{json.dumps(VERDICTS)}\nNothing else."
    reply = scripted.scripted_reply(make_request("m", [{"role": "system", "content": prompt}], {}))
    assert set(json.loads(reply.text)) == {"verdicts"}


def test_rounds_of_a_decision_model_close_in_its_own_dialect(tmp_path: Path):
    items = drawn.draw_items(tool_requests.TOOLS["decisions"], 4)[:1]
    played = rounds.play_rounds(
        "decisions",
        partial(decisions.ask_decisions, items),
        known.KnownReplies(),
        tmp_path,
        model="m",
        scripted=scripted.scripted_reply,
    )
    lines = [json.loads(line) for line in played.rounds[0].file.read_text().splitlines()]
    assert {line["url"] for line in lines} == {"/v1/systemone"}
    assert played.closed
    assert {each["score"] for each in played.said} == {0.5}


@pytest.mark.parametrize("name", list(tool_requests.TOOLS))
def test_a_tool_is_asked_about_150_outputs_at_most_and_sees_no_label(name: str, tmp_path: Path):
    tool = tool_requests.TOOLS[name]
    items = drawn.draw_items(tool)
    assert 100 < len(items) <= 150
    assert {item.judge for item in items} == {judge.name for judge in tool.judges}
    for judge in tool.judges:
        mine = [item.drawn for item in items if item.judge == judge.name]
        assert {each.plants for each in mine} >= {"fault", "nothing", "twin"}
        assert {each.case.kind for each in mine} <= set(judge.kinds)
    drawn.write_items(items, tmp_path / "items.jsonl")
    fields = {key for line in (tmp_path / "items.jsonl").read_text().splitlines() for key in json.loads(line)}
    texts = {"question", "answer", "reference", "passages", "tools", "calls", "expected_calls"}
    assert fields == {"item", "judge"} | texts


@pytest.mark.parametrize("host", ["example.org", b"example.org", "10.0.0.1", "2001:db8::1"])
@pytest.mark.parametrize("event", ["socket.connect", "socket.getaddrinfo"])
def test_a_tool_reaches_no_other_address(
    host: Any, event: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("REFUSED_ADDRESSES", str(tmp_path / "refused"))
    arguments = (None, (host, 443)) if event == "socket.connect" else (host, 443, 0, 0, 0)
    with pytest.raises(ConnectionRefusedError):
        guard.watch(event, arguments)
    assert (tmp_path / "refused").read_text() == f"{host}\n"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", None])
def test_loopback_is_reached(host: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    asked: list[object] = []
    is_local = guard.is_local

    def recorded(name: object) -> bool:
        asked.append(name)
        return is_local(name)

    monkeypatch.setattr(guard, "is_local", recorded)
    monkeypatch.setenv("REFUSED_ADDRESSES", str(tmp_path / "refused"))
    guard.watch("socket.connect", (None, (host, 80)))
    guard.watch("socket.getaddrinfo", (host, 80, 0, 0, 0))
    guard.watch("socket.connect", (None, "/run/a.socket"))
    assert asked == [host, host], "a socket that is a file has no host"
    assert not (tmp_path / "refused").exists()


def test_a_tools_process_gets_no_key_and_sends_no_telemetry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    found = process.environment("http://127.0.0.1:1/v1", tmp_path, tmp_path / "refused", tmp_path)
    assert "secret" not in found.values()
    assert found["DEEPEVAL_TELEMETRY_OPT_OUT"] == found["DO_NOT_TRACK"] == "1"
    assert found["HOME"] == str(tmp_path)


def test_what_a_judge_fails_at_has_no_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def fails(_: Any) -> Any:
        raise ValueError("unreadable")

    def says(score: float | None) -> Callable[[Any], Any]:
        return lambda _: asking.ToolVerdict(score, score == 1.0)

    judges = {"right": says(1.0), "nan": says(float("nan")), "none": says(None), "fails": fails}
    items = [json.dumps({"item": number, "judge": name}) for number, name in enumerate(judges)]
    (tmp_path / "items").write_text("\n".join(items))
    monkeypatch.setattr("sys.argv", ["program", str(tmp_path / "items"), str(tmp_path / "said")])
    asking.ask_all(judges)
    said = [json.loads(line) for line in (tmp_path / "said").read_text().splitlines()]
    assert [each["score"] for each in said] == [1.0, None, None, None]
    assert said[3]["error"] == "ValueError: unreadable"


def test_a_tool_that_cannot_be_installed_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def refuse(*_: object, **__: object) -> Any:
        raise process.ToolError("not installed: no such release")

    monkeypatch.setattr(tool_requests, "asking_of", refuse)
    monkeypatch.setattr("sys.argv", ["tool_requests.py", "--rounds", "openevals", "--out", str(tmp_path)])
    assert tool_requests.main() == 1
    assert capsys.readouterr().out.endswith("| - | - | - | - | not installed: no such release |\n")


def test_scripted_replies_are_not_taken_for_a_recording(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    request = make_request("claude", [], {})
    recording = tmp_path / "replies.jsonl"
    known.write_replies([request], {request.key: scripted.scripted_reply(request)}, recording)
    command = ["tool_requests.py", "--rounds", "decisions", "--replies", str(recording)]
    monkeypatch.setattr("sys.argv", command)
    assert tool_requests.main() == 2
    assert str(recording) in capsys.readouterr().err


def test_a_body_that_is_no_json_is_answered(replies: Any):
    with server.ReplayingServer(replies, "m") as running:
        request = urllib.request.Request(running.base_url + "/chat/completions", b"{")
        with pytest.raises(urllib.error.HTTPError) as found:
            urllib.request.urlopen(request)
        assert found.value.code == 501
        found.value.close()
