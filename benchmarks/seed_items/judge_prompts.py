"""The tool-call prompty and the groundedness message: 112 to 130, 157 to 169."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from provider_server import Answer, ProviderServer

from .kit import HERE, ROOT, NotRun, cases, fd, folder, item, lines, ran, same, verdicts_of

PROMPTFLOW, JUDGES = "docs/promptflow.md", "docs/judges.md"
TOOL_PROMPT, GROUNDEDNESS = HERE / "tool_calls.prompty", HERE / "groundedness.json"
CALLED = {
    "query": "Tel Aviv's weather?",
    "tool_calls": [{"name": "get_current_weather", "arguments": {"location": "Tel Aviv, Israel"}}],
}


@cache
def _imported(kind: str) -> Path:
    """Import one of the two prompts, and return its file."""
    out = folder() / f"{kind}.prompty"
    if kind == "tools":
        ran("prompts", "import", TOOL_PROMPT, "--scale", "0-1", "--step", "1", "--out", out)
    else:
        ran(
            "prompts",
            "import",
            GROUNDEDNESS,
            "--input",
            "search_results",
            "--input",
            "question",
            "--out",
            out,
        )
    return out


def _asked(prompt: object, reply: str, **given: Any) -> tuple[Any, dict[str, Any]]:
    """Return the verdict that a reply comes to, and the request."""
    with ProviderServer(lambda _: Answer(reply)) as server:
        judge = fd.judge(str(prompt), model="m", base_url=server.base_url, api_key="k", cache=False)
        try:
            return judge(**given), server.seen[0].body
        finally:
            judge.close()


def _tool(reply: str) -> tuple[Any, dict[str, Any]]:
    return _asked(
        _imported("tools"),
        reply,
        tool_definitions=[t["function"] for t in cases("live_simple")[0].tools],
        **CALLED,
    )


RESULTS = [
    {"id": "1", "request": 'search_web("Taj Mahal")', "content": "A white marble mausoleum built by Shah Jahan for Mumtaz Mahal in the 17th century."},
    {"id": "2", "request": "search_web", "content": "<table><tr><td>[Index: 2] Agra</td></tr></table>"},
    {"id": "3", "request": 'restaurants(city="Naples", party_size=4)', "content": '{"results": [{"url": "[Index: 3]"}]}'},
]  # fmt: skip


def _grounded(reply: str) -> tuple[Any, dict[str, Any]]:
    question = (
        "Does the search results state or imply that Shah Jahan built it of marble for his wife in 1632?"
    )
    return _asked(_imported("ground"), reply, search_results=RESULTS, question=question)


@item(112, 113, 114, 115)
def the_prompty_is_kept_and_sent_as_it_is() -> None:
    text = _imported("tools").read_text(encoding="utf-8")
    same('name: "Tool call check"' in text and "tool_definitions: {type: list" in text, True)
    found, body = _tool("<S0>a</S0><S1>b</S1><S2>1</S2>")
    same({name: body[name] for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty", "response_format")},
         {"temperature": 0.0, "top_p": 1.0, "presence_penalty": 0, "frequency_penalty": 0, "response_format": {"type": "text"}})  # fmt: skip
    same([message["role"] for message in body["messages"]], ["system"])
    same((found.score, "You grade the tool calls" in body["messages"][0]["content"]), (1.0, True))


@item(116, 117)
def tags_and_bare_scores_are_read() -> None:
    found, _ = _tool("<S0>looked</S0>, <S1>it fits</S1>, <S2>0</S2>")
    same((found.score, "it fits" in (found.reason or "")), (0.0, True))
    same((_tool("1")[0].score, _tool("0")[0].score), (1.0, 0.0))


@item(118, status="better", page=JUDGES)
def other_replies_are_unparsable() -> None:
    for reply in ("correct", "0.5"):
        same(_tool(reply)[0].outcome, "unparsable", reply)


@item(119, status="better", page="docs/coming-from.md#promptflow-and-azure-ai-evaluation")
def a_file_without_a_scale_gets_the_line_to_add() -> None:
    done = ran("prompts", "check", TOOL_PROMPT, code=2)
    same("add this line to the front matter: scale: {minimum: 0, maximum: 1, step: 1}" in done.err, True)


@item(120, 162, status="better", page=JUDGES)
def judges_of_both_purposes_are_shipped() -> None:
    listed = ran("prompts", "list").out
    same(listed.count("tool_call_accuracy/") >= 5 and "groundedness/" in listed, True)


def _fails(command: list[str | Path]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode != 0


@cache
def _promptflow() -> None:
    """Run promptflow's tests once, in their own environment."""
    python = ROOT / ".venv-promptflow/bin/python"
    if not python.exists() or _fails([python, "-c", "import promptflow, pytest"]):
        raise NotRun("make promptflow")
    tests = [
        "tests/api/test_promptflow.py",
        "-k",
        "(dag and rubric) or prompt_file or (groundedness and not dag)",
    ]
    done = subprocess.run(
        [python, "-m", "pytest", "-q", *tests], cwd=ROOT, capture_output=True, text=True, check=False
    )
    same(done.returncode, 0, done.stdout[-300:])


@item(124, status="read", page=PROMPTFLOW)
def an_earlier_run_is_promptflows_own_option() -> None:
    same("pf run create" in (ROOT / PROMPTFLOW).read_text(encoding="utf-8"), True)


@item(121, 122, 123, 125, 126, 130, 169, page="make promptflow")
def promptflow_runs_the_flows_and_their_results_come_back() -> None:
    _promptflow()


@item(127)
def a_flow_folder_is_written_from_the_shell() -> None:
    place = folder()
    ran("prompts", "flow", "groundedness", "--out", place / "flex")
    ran("prompts", "flow", "tool_call_accuracy", "--dag", "--out", place / "dag")
    same((place / "flex/flow.flex.yaml").exists() and (place / "dag/flow.dag.yaml").exists(), True)


@item(128)
def a_connection_file_is_taken() -> None:
    place = folder()
    lines(
        place / "c.jsonl",
        [
            {
                "id": "a",
                "kind": "open_answer",
                "messages": [{"role": "user", "content": "Hi"}],
                "reference": {"criterion": "It greets."},
            }
        ],
    )
    lines(place / "o.jsonl", [{"case_id": "a", "system": "s", "text": "Hello"}])
    with ProviderServer() as server:
        (place / "ours.yml").write_text(
            f"type: open_ai\napi_key: k\nbase_url: {server.base_url}\n", encoding="utf-8"
        )
        ran("judge", place / "c.jsonl", "--outputs", place / "o.jsonl", "--judge", "rubric", "--model", "m",
            "--connection", place / "ours.yml", "--out", place / "run", "--no-cache")  # fmt: skip
    same(verdicts_of(place / "run/verdicts.jsonl")[0].score, 1.0)


@item(129, status="read", page=f"{PROMPTFLOW}#connections")
def connections_by_name_need_a_store() -> None:
    same("by name" in (ROOT / PROMPTFLOW).read_text(encoding="utf-8"), True)


@item(130)
def results_of_a_run_are_verdicts() -> None:
    place = folder()
    lines(
        place / "output.jsonl",
        [
            {"line_number": 0, "x": 1.0, "x_score": 1.0},
            {"line_number": 1, "x": "(Failed)", "x_score": "(Failed)"},
        ],
    )
    lines(place / "details.jsonl", [{"inputs.query": "q", "outputs.x": 1.0, "outputs.x_score": 1.0}])
    for name, outcomes in (("output", ["graded", "failed"]), ("details", ["graded"])):
        ran("import", "azure", place / f"{name}.jsonl", "--out", place / name)
        same([verdict.outcome for verdict in verdicts_of(place / name / "verdicts.jsonl")], outcomes)


@item(157, 161, 167, 168)
def the_message_is_kept_and_results_keep_their_requests() -> None:
    found, body = _grounded("```\n## Comparision with all search results\n- Index 3\n## Final score\n1\n```")
    system, user = (message["content"] for message in body["messages"])
    same(system.strip(), json.loads(GROUNDEDNESS.read_text(encoding="utf-8"))["content"].strip())
    same(
        all(f"Index: {n}" in user for n in (1, 2, 3)) and "party_size=4" in user and "state or imply" in user,
        True,
    )
    same(found.score, 1.0)


@item(158, 159, 163)
def fractions_are_read() -> None:
    for reply, score in (
        ("## Final score\n0.75", 0.75),
        ("## Final score\n0.75/1", 0.75),
        ("## Final score\n0", 0.0),
    ):
        same(_grounded(reply)[0].score, score, reply)


@item(160)
def shares_in_other_notations_are_read() -> None:
    for reply in ("## Final score\n75%", "## Final score\n3/4", "## Final score\n0.75 out of 1"):
        same(_grounded(reply)[0].score, 0.75, reply)


@item(164)
def the_indexes_of_an_imported_prompt_are_data() -> None:
    sections = "## Index supporting each piece of information\n1. It is white is supported by indexes: [1, 3]\n## Reasoning\nso\n"
    found, _ = _grounded(f"## Comparision with all search results\n- one\n{sections}## Final score\n1")
    same((found.score, found.evidence["citations"]), (1.0, [{"piece": "It is white", "indexes": ["1", "3"]}]))


@item(165, 166, status="better", page="docs/coming-from.md#groundedness-prompt")
def the_shipped_judge_checks_the_share() -> None:
    reply = ran("prompts", "show", "groundedness/decomposed").out
    same("pieces" in reply and "index" in reply, True)
