"""Prompt files of promptflow, prompty 2 and azure-ai-evaluation, converted to ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_items import Judging, make_case, make_output
from other_renderers import promptflow_renders, prompty_renders
from provider_server import Answer, ProviderServer

from fiducial.errors import FiducialError, InputError, PromptError, UsageError
from fiducial.judges import load_judge
from fiducial.judges.prompt_import import import_prompt
from fiducial.judges.prompt_inputs import fill_inputs
from fiducial.judges.prompt_text import portability_problems
from fiducial.records.scale import Scale

MAPPED = """---
name: mine
model: {api: chat, parameters: {temperature: 0.0}}
inputs:
  answer: {type: string, kind: string}
  boundary: {type: string, kind: string}
map: {answer: response, boundary: fence}
pass_at: 1.0
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1, step: 1}
---
user:
{{boundary}}
{{answer}}
{{boundary}}
"""

PROMPTFLOW = """---
name: Relevance
description: How relevant is an answer?
model:
  api: chat
  configuration:
    type: azure_openai
    azure_deployment: gpt
    api_key: ${env:AZURE_OPENAI_API_KEY}
  parameters:
    max_tokens: 128
    temperature: 0.2
inputs:
  question:
    type: string
  answer:
    type: string
sample: {question: q, answer: a}
---
system:
You rate answers. The rating is a whole number between 1 and 5.

user:
question: {{question}}
answer: {{answer}}
stars:
"""

PROMPTY_2 = """---
name: relevance
description: How relevant is an answer?
model:
  id: gpt-4o-mini
  provider: openai
  connection: {kind: key, apiKey: "${env:OPENAI_API_KEY}"}
  options:
    temperature: 0.2
    maxOutputTokens: 128
    topP: 0.9
    additionalProperties: {logit_bias: {}}
inputs:
  - name: question
    kind: string
  - name: answer
    kind: string
  - name: tone
    kind: string
    default: neutral
outputs:
  - name: score
    kind: integer
    enumValues: [1, 2, 3, 4, 5]
  - name: reason
    kind: string
template:
  format: {kind: jinja2}
  parser: {kind: prompty}
---
system:
You rate answers, {{tone}}.
user:
question: {{question}}
answer: {{answer}}
"""

AZURE = """---
name: Coherence
description: Rates how coherent a response is
model:
  api: chat
  parameters:
    temperature: 0.0
    max_tokens: 800
    top_p: 1.0
    presence_penalty: 0
    frequency_penalty: 0
    response_format:
      type: text

inputs:
  query:
    type: string
  response:
    type: string

---
system:
# Instruction
You give an integer score to the RESPONSE, from a definition and levels.

user:
# Ratings
## [Coherence: 1] (Incoherent)
## [Coherence: 5] (Fluent)

# Data
QUERY: {{query}}
RESPONSE: {{response}}

# Tasks
- **ThoughtChain**: think step by step.
- **Explanation**: a short one.
- **Score**: an integer score (i.e., "1", "2" ...) from 1 to 5.

## Please provide your answers between the tags: <S0>your chain of thoughts</S0>, <S1>your explanation</S1>, <S2>your Score</S2>.
# Output
"""

ITEM = make_case(), make_output()


def imported(
    folder: Path, text: str, *inputs: str, scale: str | None = None, step: float | None = None
) -> Path:
    source, out = folder / "theirs.prompty", folder / "ours.prompty"
    source.write_text(text, encoding="utf-8")
    out.write_text(import_prompt(source, out, inputs, scale, step)[0], encoding="utf-8")
    return out


def body(text: str) -> str:
    return text.split("---\n", 2)[2]


@pytest.mark.parametrize(
    ("text", "inputs", "scale"),
    [
        (PROMPTFLOW, ["answer=response"], "1-5"),
        (PROMPTY_2, ["answer=response"], None),
        (AZURE, [], "1-5"),
    ],
    ids=["promptflow", "prompty 2", "azure"],
)
def test_what_is_made_says_the_same_here_and_in_promptflow_and_in_prompty(
    tmp_path: Path, text: str, inputs: list[str], scale: str | None
) -> None:
    path = imported(tmp_path, text, *inputs, scale=scale)
    judge = load_judge(str(path), model="m")
    values = fill_inputs(judge.prompt.inputs, *ITEM)
    assert judge.prompt.template == body(text)
    assert portability_problems(judge.prompt) == []
    assert promptflow_renders(path, values)[0] == judge.render(values)
    assert prompty_renders(path, values) == judge.render(values)
    assert make_output().text in judge.messages(*ITEM)[-1]["content"]


def test_the_inputs_keep_their_names_and_are_filled_from_ours(tmp_path: Path) -> None:
    judge = load_judge(str(imported(tmp_path, PROMPTFLOW, "answer=response", scale="1-5")), model="m")
    assert {name: declared.source for name, declared in judge.prompt.inputs.items()} == {
        "question": None,
        "answer": "response",
    }
    (_, user) = judge.messages(*ITEM)
    assert f"answer: {make_output().text}" in user["content"]


def test_where_the_model_is_stays_behind_and_how_it_decodes_is_kept(tmp_path: Path) -> None:
    path = imported(tmp_path, PROMPTFLOW, "answer=response", scale="1-5")
    assert "api_key" not in path.read_text(encoding="utf-8")
    assert load_judge(str(path), model="m").parameters == {"max_tokens": 128, "temperature": 0.2}


def test_prompty_2s_options_and_outputs_become_decoding_parameters(tmp_path: Path) -> None:
    judge = load_judge(str(imported(tmp_path, PROMPTY_2, "answer=response")), model="m")
    sent: dict[str, Any] = dict(judge.parameters)
    form = sent.pop("response_format")
    assert sent == {"temperature": 0.2, "max_completion_tokens": 128, "top_p": 0.9, "logit_bias": {}}
    assert form["json_schema"]["schema"]["properties"]["score"] == {
        "type": "integer",
        "enum": [1, 2, 3, 4, 5],
    }
    assert judge.prompt.scale == Scale(1, 5, 1)
    assert judge.parse('{"score": 2, "reason": "why"}').score == 0.25
    assert "neutral" in judge.messages(*ITEM)[0]["content"]


def test_a_reply_in_azures_tags_is_read(server: ProviderServer, judging: Judging, tmp_path: Path) -> None:
    server.script = lambda seen: Answer("<S0>Let's think.</S0> <S1>Clear.</S1> <S2>4</S2>")
    (verdict,) = judging([ITEM], spec=str(imported(tmp_path, AZURE, scale="1-5", step=1)))
    assert (verdict.score, verdict.reason) == (0.75, "Let's think.\nClear.")
    assert verdict.evidence == {"raw_score": 4.0}
    server.script = lambda seen: Answer("<S0>Hm.</S0> <S1>Between.</S1> <S2>3.5</S2>")
    (verdict,) = judging([ITEM], spec=str(imported(tmp_path, AZURE, scale="1-5", step=1)))
    assert verdict.outcome == "unparsable"


def test_the_least_score_may_be_the_best(tmp_path: Path) -> None:
    judge = load_judge(str(imported(tmp_path, AZURE, scale="5-1")), model="m")
    assert judge.parse("<S1>x</S1><S2>1</S2>").score == 1.0


@each_row(
    ("text", "options", "why"),
    [
        (
            PROMPTFLOW,
            {},
            r"nothing fills the input 'answer'; say input=answer=response \(inputs that exist: query, ",
        ),
        (PROMPTFLOW.replace("answer", "moon"), {}, r"say input=moon=NAME"),
        (PROMPTFLOW, {"inputs": ["answer=respons"]}, r"unknown input 'respons'; did you mean response\?"),
        (
            PROMPTFLOW,
            {"inputs": ["reply=response"]},
            r"declares no input 'reply'; its inputs: question, answer",
        ),
        (AZURE, {}, r"not declared; say scale=1-5, step=1 \(the text says '1 to 5'; the worst first\)"),
        (AZURE, {"scale": "good"}, r"scale=good: expected the worst score and the best"),
        (AZURE, {"step": 1}, r"step= goes with scale="),
        (
            PROMPTY_2.replace("jinja2", "mustache"),
            {"inputs": ["answer=response"]},
            r"the template is 'mustache'",
        ),
        (
            PROMPTFLOW.replace("type: string", "type: image"),
            {"inputs": ["answer=response"], "scale": "1-5"},
            "image",
        ),
        (AZURE.replace("{{query}}", "{% for %}"), {"scale": "1-5"}, "not jinja"),
        (
            PROMPTY_2.replace("jinja2", "[jinja2]"),
            {"inputs": ["answer=response"]},
            r"the template is \['jinja2'\]",
        ),
        (MAPPED.replace("pass_at: 1.0", "pass_at: high"), {}, "pass_at: Expected `float`, got `str`"),
        (MAPPED.replace("pass_at: 1.0", "parse: tags"), {}, "parse: Expected `object`, got `str`"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line_that_says_what_to_do(
    tmp_path: Path, text: str, options: dict[str, Any], why: str
) -> None:
    source = tmp_path / "theirs.prompty"
    source.write_text(text, encoding="utf-8")
    with pytest.raises(FiducialError, match=why) as refused:
        import_prompt(source, tmp_path / "ours.prompty", **options)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, InputError | PromptError | UsageError)


def test_a_file_of_ours_is_imported_as_it_is(tmp_path: Path) -> None:
    once = imported(tmp_path, PROMPTFLOW, "answer=response", scale="5-1", step=1)
    written = once.read_text(encoding="utf-8").replace("\nmap:", "\npass_at: 0.75\nmap:")
    again = imported(tmp_path, written)
    assert again.read_text(encoding="utf-8") == written


def test_an_input_of_several_types_is_a_text(tmp_path: Path) -> None:
    path = imported(tmp_path, MAPPED.replace("answer: {type: string,", 'answer: {type: [string, "null"],'))
    assert "answer: {type: string, kind: string}" in path.read_text(encoding="utf-8")


def test_what_looks_like_a_prompt_file_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    source = tmp_path / "seed.txt"
    source.write_bytes(b"\xef\xbb\xbf" + AZURE.replace("\n", "\r\n").encode())
    assert import_prompt(source, tmp_path / "x.prompty", (), "1-5")[1].template == body(AZURE)


def test_front_matter_maps_names_that_other_tools_pass_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.prompty"
    path.write_text(MAPPED, encoding="utf-8")
    judge = load_judge(str(path), model="m")
    values = fill_inputs(judge.prompt.inputs, *ITEM)
    assert set(values) == {"answer", "boundary"}
    assert values["answer"] == make_output().text
    assert promptflow_renders(path, values)[0] == judge.render(values)
    assert prompty_renders(path, values) == judge.render(values)


@each_row(
    ("before", "after", "why"),
    [
        (
            "map: {answer: response,",
            "map: {answer: respnse,",
            r":7: answer is mapped to 'respnse'.*did you mean response\?",
        ),
        (
            "map: {answer: response,",
            "map: {reply: response,",
            r":7: map: the prompt declares no input 'reply'",
        ),
        (
            "map: {answer: response, boundary: fence}",
            "map: {boundary: fence}",
            r":4: .*'answer'; did you mean response\?.*map: \{answer: response\}.*inputs that exist: query,",
        ),
        (
            "answer: {type: string,",
            "answer: {type: int,",
            r":7: input answer: response is a text, declared as int",
        ),
        ("{type: string, kind: string}\n  b", "{type: string, default: 1}\n  b", None),
    ],
)
def test_an_input_that_nothing_fills_is_refused_before_anybody_is_asked(
    tmp_path: Path, before: str, after: str, why: str | None
) -> None:
    path = tmp_path / "mine.prompty"
    assert before in MAPPED
    path.write_text(MAPPED.replace(before, after), encoding="utf-8")
    if why is None:
        load_judge(str(path), model="m")
        return
    with pytest.raises(PromptError, match=rf"mine\.prompty{why}") as refused:
        load_judge(str(path), model="m")
    assert "\n" not in str(refused.value)
