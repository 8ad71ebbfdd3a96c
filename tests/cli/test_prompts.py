"""The commands around prompts and the reply cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import fiducial
from judge_items import make_case, make_output

from fiducial.cli.cache import command as cache
from fiducial.cli.prompts import command as prompts
from fiducial.errors import InputError, PromptError, UsageError
from fiducial.judges import Reply, ReplyCache, find_prompt
from fiducial.judges.catalogue import SPLITTER, all_prompts, decision_prompts
from fiducial.records import write_records


def run(*args: object) -> str:
    result = CliRunner().invoke(prompts, [str(arg) for arg in args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_names_every_prompt_and_marks_the_defaults() -> None:
    rows = json.loads(run("list", "--json"))
    assert [f"{row['judge']}/{row['variant']}" for row in rows] == [
        *(str(name) for name in all_prompts() if name != SPLITTER),
        *map(str, decision_prompts()),
    ]
    assert sum(row["default"] for row in rows) == len({row["judge"] for row in rows})
    text = run("list")
    assert "* tool_call_accuracy/reasons" in text
    assert "  tool_call_accuracy/few_shot" in text
    assert "  statements/split" in text


def test_show_prints_the_file() -> None:
    assert run("show", "tool_call_accuracy/direct").startswith("---\nname: Tool call accuracy, bare score")


def test_show_refuses_what_is_no_text_and_shows_what_would_not_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "mine.prompty"
    path.write_bytes(b"\xff")
    with pytest.raises(PromptError, match="not UTF-8"):
        run("show", path)
    path.write_text("---\nname: \x1b[2Jx\n---\n", encoding="utf-8")
    assert run("show", path) == "---\nname: \\u001b[2Jx\n---\n"


@pytest.fixture
def item(tmp_path: Path) -> list[object]:
    reference = {"calls": [{"book_hotel": {"city": ["Rome"]}}]}
    write_records(tmp_path / "cases.jsonl", [make_case(1, reference=reference)])
    write_records(tmp_path / "outputs.jsonl", [make_output(1), make_output(1, system="other", text="Other.")])
    return ["--case", tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl"]


def test_render_prints_what_is_sent(item: list[object]) -> None:
    text = run("render", "tool_call_accuracy", *item, "--id", "case-1")
    assert "[system]" in text
    assert "Book 2 nights in Rome. (#1)" in text
    body = json.loads(run("render", "tool_call_accuracy/decomposed", *item, "--id", "case-1", "--json"))
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["response_format"]["type"] == "json_schema"


def test_render_says_what_is_missing(item: list[object]) -> None:
    with pytest.raises(InputError, match="no case 'nope'"):
        run("render", "tool_call_accuracy", *item, "--id", "nope")
    with pytest.raises(InputError, match=r"no output of system 'nobody' .*; systems: agent, other"):
        run("render", "tool_call_accuracy", *item, "--id", "case-1", "--system", "nobody")
    with pytest.raises(UsageError, match="did you mean tool_call_accuracy"):
        run("render", "tool_call_acuracy", *item, "--id", "case-1")


def test_what_splits_an_answer_can_be_shown_rendered_and_checked(item: list[object]) -> None:
    assert "parse: {mode: statements}" in run("show", "statements/split")
    assert "begin answer ===\nI booked 2 nights in Rome." in run(
        "render", "statements/split", *item, "--id", "case-1"
    )
    path = find_prompt("statements/split")[1]
    assert f"{path}: ok" in run("check", path)
    assert "not portable" not in run("check", path)


def test_check_tells_a_usable_prompt_from_one_that_is_not(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.prompty", tmp_path / "bad.prompty"
    good.write_text("---\nname: g\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\nReply 0 or 1.\n")
    bad.write_text("---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nReply.\n")
    assert "good.prompty: ok" in run("check", good)
    assert "not portable" in run("check", good)
    with pytest.raises(PromptError, match=r"bad\.prompty:4"):
        run("check", bad)


def test_import_writes_a_prompt_that_is_usable(tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps({"role": "system", "content": "Is it right? 0 or 1."}))
    out = tmp_path / "chat.prompty"
    assert "ok; inputs query, response, fence; score 0 or 1" in run("import", chat, "--out", out, "--step", 1)
    assert "ok" in run("check", out)


@pytest.mark.parametrize("step", ["0", "-1", "nan"])
def test_import_takes_no_step_that_leads_nowhere_and_its_help_says_which_it_takes(tmp_path: Path, step: str):
    chat, out = tmp_path / "chat.json", tmp_path / "chat.prompty"
    chat.write_text(json.dumps({"role": "system", "content": "Is it right?"}))
    result = CliRunner().invoke(prompts, ["import", str(chat), "--out", str(out), "--step", step])
    assert (result.exit_code, "--step" in result.output, out.exists()) == (2, True, False)
    assert "[x>0]" in run("import", "--help")


def test_the_cache_can_be_looked_at_and_emptied(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"

    def say(*args: str) -> str:
        result = CliRunner().invoke(cache, [*args, "--cache", str(path)], catch_exceptions=False)
        assert result.exit_code == 0
        return result.output

    assert "no cache yet" in say("info")
    assert not path.exists()
    store = ReplyCache(path)
    store.put("1", "m", Reply(text="1"))
    store.close()
    assert json.loads(say("info", "--json"))["models"] == {"m": 1}
    assert "1 reply, " in say("info")
    assert "deleted 0 replies" in say("clear", "--model", "other")
    assert "deleted 1 reply\n" in say("clear")


def test_a_flow_folder_is_written_in_one_of_two_forms(tmp_path: Path):
    flex = fiducial("prompts", "flow", "rubric", "--out", tmp_path / "flex")
    assert (flex.code, sorted(path.name for path in (tmp_path / "flex").iterdir())) == (0, ["flow.flex.yaml"])
    dag = fiducial("prompts", "flow", "rubric/few_shot", "--dag", "--out", tmp_path / "dag")
    assert dag.code == 0
    flow = json.loads((tmp_path / "dag" / "flow.dag.yaml").read_text())  # JSON is YAML, too
    assert flow["node_variants"]["judge"]["default_variant_id"] == "few_shot"
    assert {"direct", "few_shot"} <= flow["node_variants"]["judge"]["variants"].keys()
    assert flow["inputs"]["criterion"] == {"type": "string"}
    for name in ("judge.py", "aggregate.py"):
        compile((tmp_path / "dag" / name).read_text(), name, "exec")
    mixed = fiducial("prompts", "flow", "rubric", "--dag", "--out", tmp_path / "flex")
    assert (mixed.code, "holds flow.flex.yaml" in mixed.err) == (2, True)
    assert (
        "no flow for the judge 'nobody'" in fiducial("prompts", "flow", "nobody", "--out", tmp_path / "x").err
    )


def test_every_command_that_takes_a_prompt_file_takes_its_scale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    prompt = tmp_path / "theirs.prompty"
    prompt.write_text(
        "---\nname: theirs\ninputs:\n  response: {type: string}\n---\nsystem:\nGrade.\n\nuser:\n{{response}}\n"
    )
    refused = fiducial("prompts", "check", prompt)
    assert refused.code == 2
    assert "add this line to the front matter" in refused.err
    accepted = fiducial("prompts", "check", prompt, "--scale", "1-5")
    assert accepted.code == 0, accepted.err
    assert "1 to 5" in accepted.out
    for command in (
        ("run",),
        ("judge",),
        ("audit", "run"),
        ("compare",),
        ("batch", "export"),
        ("prompts", "render"),
    ):
        assert "--scale" in fiducial(*command, "--help").out, command
