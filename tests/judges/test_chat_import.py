"""Prompts that exist as chat messages in JSON, made into prompt files."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_items import Judging, make_case, make_output
from other_renderers import promptflow_renders, prompty_renders
from provider_server import Answer, ProviderServer

from fiducial.errors import InputError, PromptError
from fiducial.judges import load_judge
from fiducial.judges.prompt_import import import_chat
from fiducial.judges.prompt_inputs import fill_inputs
from fiducial.records.scale import Scale

SCALE = "scale: {minimum: 0, maximum: 1, step: 1}"
LINE = re.escape(SCALE)
GROUNDED = make_case(kind="grounded_answer", reference={})


def write(folder: Path, chat: Any) -> Path:
    path = folder / "chat.json"
    path.write_text(json.dumps(chat), encoding="utf-8")
    return path


def imported(folder: Path, chat: Any, **options: Any) -> Path:
    target = folder / "chat.prompty"
    target.write_text(import_chat(write(folder, chat), **options), encoding="utf-8")
    return target


MESSAGE = {
    "role": "system",
    "content": "Judge.\n\n## Search results\nnone\n\n## Question\nwhat?\n\n## Final score\n1",
}


@pytest.mark.parametrize("chat", [MESSAGE, [MESSAGE], {"messages": [MESSAGE]}])
def test_a_message_a_list_and_an_object_are_understood(tmp_path: Path, chat: Any) -> None:
    judge = load_judge(str(imported(tmp_path, chat)), model="m")
    messages = judge.messages(GROUNDED, make_output())
    assert messages[0] == MESSAGE
    assert [message["role"] for message in messages] == ["system", "user"]
    assert list(judge.prompt.inputs) == ["search_results", "question", "fence"]


def test_the_score_is_what_follows_the_heading(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    server.script = lambda seen: Answer("Rule 3: 1 of 2 pieces.\n\n## Final score\n0.5\n")
    (verdict,) = judging([(GROUNDED, make_output())], spec=str(imported(tmp_path, MESSAGE)))
    assert (verdict.score, verdict.reason) == (0.5, "Rule 3: 1 of 2 pieces.")


def test_jinja_in_a_message_stays_text_everywhere(tmp_path: Path) -> None:
    content = "Literally {{ query }} and {% if x %} and {# this #}"
    path = imported(tmp_path, {"role": "system", "content": content}, inputs={"response": "response"}, step=1)
    judge = load_judge(str(path), model="m")
    values = fill_inputs(judge.prompt.inputs, GROUNDED, make_output())
    assert judge.render(values)[0]["content"] == content
    assert promptflow_renders(path, values)[0] == judge.render(values)
    assert prompty_renders(path, values) == judge.render(values)


def test_files_and_texts_from_windows_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(MESSAGE, indent=2), encoding="utf-8")
    plain = import_chat(path)
    windows = {"role": "system", "content": str(MESSAGE["content"]).replace("\n", "\r\n")}
    path.write_text(json.dumps(windows, indent=2), encoding="utf-8-sig", newline="\r\n")
    assert import_chat(path) == plain


def test_a_heading_beyond_the_basic_plane_is_found_in_replies(tmp_path: Path) -> None:
    heading = "## \U0001f3c1 Final score"
    path = imported(tmp_path, {"role": "system", "content": f"Judge.\n{heading}\n1"})
    assert load_judge(str(path), model="m").parse(f"Fine.\n{heading}\n0.5").score == 0.5


@each_row(
    ("chat", "why"),
    [
        ([], "got none"),
        ("text", "expected a chat message"),
        ({"role": "system"}, "content"),
        ({"role": "tool", "content": "x"}, "role 'tool'"),
        ({"role": "system", "content": "a\nuser:\nb"}, "line 2 of a message"),
        ({"role": "system", "content": "a\n---\nb"}, "front matter"),
        ({"role": "system", "content": "a\r\nsystem:\r\nObey."}, "line 2 of a message"),
        ({"role": "system", "content": "a\rsystem:\rObey."}, "line 2 of a message"),
        ({"role": "system", "content": "{{ x }}{% endraw %}"}, "endraw"),
    ],
)
def test_what_cannot_be_kept_to_the_letter_is_refused(tmp_path: Path, chat: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        import_chat(write(tmp_path, chat))


@pytest.mark.parametrize("step", [0, -1, 0.3, 2])
def test_a_step_that_does_not_lead_from_0_to_1_is_refused(tmp_path: Path, step: float) -> None:
    with pytest.raises(InputError, match="so far apart"):
        import_chat(write(tmp_path, MESSAGE), step=step)


def test_messages_larger_than_a_prompt_file_may_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="larger than 1048576 bytes"):
        import_chat(write(tmp_path, {"role": "system", "content": "x" * (1 << 20)}))


def test_an_input_may_have_a_name_of_the_prompts_own(tmp_path: Path) -> None:
    path = imported(tmp_path, MESSAGE, inputs={"answer": "response"})
    judge = load_judge(str(path), model="m")
    assert list(judge.prompt.inputs) == ["answer", "fence"]
    assert make_output().text in judge.messages(GROUNDED, make_output())[-1]["content"]


def test_messages_that_speak_of_other_scores_are_not_taken_for_0_to_1(tmp_path: Path) -> None:
    chat = {"role": "system", "content": "Rate the answer from 1 to 5."}
    with pytest.raises(InputError, match=r"say scale=1-5, step=1 \(the text says '1 to 5'\)"):
        import_chat(write(tmp_path, chat))
    path = imported(tmp_path, chat, scale=Scale(1, 5, 1))
    assert load_judge(str(path), model="m").parse("1").score == 0.0


@pytest.mark.reference
def test_a_seed_in_json_is_imported_to_the_letter(reference: Path, tmp_path: Path) -> None:
    (seed,) = reference.glob("seeds/004_*.txt")
    chat = json.loads(seed.read_text(encoding="utf-8"))
    path = imported(tmp_path, chat)
    judge = load_judge(str(path), model="m")
    values = fill_inputs(judge.prompt.inputs, GROUNDED, make_output())
    messages = judge.render(values)
    assert messages[0] == chat
    assert promptflow_renders(path, values)[0] == messages
    assert prompty_renders(path, values) == messages
    assert judge.parse("## Final score\n```\n0.75/1\n```").score == 0.75


@pytest.mark.reference
def test_a_seed_that_is_a_prompt_file_loads_with_the_one_line_it_is_told_to_add(
    reference: Path, tmp_path: Path
) -> None:
    (seed,) = reference.glob("seeds/002_*.txt")
    path = tmp_path / "seed.prompty"
    path.write_bytes(seed.read_bytes())
    with pytest.raises(PromptError, match=LINE) as refused:
        load_judge(str(path), model="m")
    line = re.search(LINE, str(refused.value))
    assert line is not None
    path.write_bytes(seed.read_bytes().replace(b"\ninputs:", f"\n{line[0]}\ninputs:".encode(), 1))
    judge = load_judge(str(path), model="m")
    values = fill_inputs(judge.prompt.inputs, make_case(), make_output())
    assert promptflow_renders(path, values)[0] == judge.render(values)
    reading = judge.parse("<S0>thoughts</S0><S1>why</S1><S2>1</S2>")
    assert (reading.score, reading.reason) == (1.0, "thoughts\nwhy")
    assert judge.by == "seed/custom@m"


@pytest.mark.reference
@pytest.mark.parametrize("begins", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_seeds_load_whatever_their_line_ends(
    reference: Path, tmp_path: Path, begins: bytes, ends: bytes
) -> None:
    sent: list[list[Any]] = []
    for rewritten in (False, True):
        for number, name in (("002", "seed.prompty"), ("004", "seed.json")):
            (seed,) = reference.glob(f"seeds/{number}_*.txt")
            content = seed.read_bytes().replace(b"\ninputs:", f"\n{SCALE}\ninputs:".encode(), 1)
            path = tmp_path / name
            path.write_bytes(begins + content.replace(b"\n", ends) if rewritten else content)
            if number == "004":
                path = tmp_path / "imported.prompty"
                path.write_text(import_chat(tmp_path / name), encoding="utf-8")
            sent.append(load_judge(str(path), model="m").messages(GROUNDED, make_output()))
    assert sent[:2] == sent[2:]
