"""Prompt files that can be used, and what is said of those that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

from fiducial.errors import PromptError
from fiducial.judges.prompt_file import read_prompt_file
from fiducial.judges.rendering import compile_prompt

GOOD = (
    "---\nscale: {minimum: 0, maximum: 1, step: 1}\ninputs:\n  query: {type: string}\n---\nuser:\n{{query}}\n"
)


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "p.prompty"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@each_row(
    ("text", "why"),
    [
        ("user:\nhello", r":1: expected front matter"),
        ("---\nname: p\nuser:\nhello", r":1: expected front matter"),
        ("---\nname: [\n---\nuser:\nx\n", r":\d+: front matter is not YAML"),
        ("---\n- a\n---\nuser:\nx\n", r":2: front matter must be a mapping"),
        ("---\nname: p\nname: q\n---\nuser:\nx\n", r"front matter is not YAML"),
        ("---\nname: !!python/object:os.system x\n---\nuser:\nx\n", r"front matter is not YAML"),
        ("---\nname: p\nscal: 1\n---\nuser:\nx\n", r":3: scal: unknown key; did you mean scale\?"),
        ("---\nname: 1\n---\nuser:\nx\n", r":2: name: Expected `str`, got `int`"),
        (
            "---\nname: p\nscale: {minimum: 1, maximum: 1}\n---\nuser:\nx\n",
            r":3: scale: minimum must be below",
        ),
        ("---\nscale: {minimum: 0, maximum: 1, step: 0.3}\n---\nuser:\nx\n", r":2: scale: the steps"),
        ("---\nscale: {minimum: 0, maximum: .inf}\n---\nuser:\nx\n", r":2: scale: .*finite"),
        ("---\nscale: {minimum: 0, maximum: 1, step: .nan}\n---\nuser:\nx\n", r":2: scale: .*finite"),
        ("---\nmodel: {parameters: {top_p: .nan}}\n---\nuser:\nx\n", r":2: model: .*cannot be sent"),
        ("---\nname: p\ntags: [&a [x, x], *a]\n---\nuser:\nx\n", r":3: .*aliases"),
        ("---\nscale: {max: 1}\n---\nuser:\nx\n", r":2: scale: .*unknown field `max`"),
        ("---\nmodel: {api: completion}\n---\nuser:\nx\n", r":2: model: .*completion"),
        ("---\nmodel: {parameters: {stream: true}}\n---\nuser:\nx\n", r":2: model: parameters: stream"),
        (
            "---\nmodel: {parameters: {response_format: {type: [a]}}}\n---\nuser:\nx\n",
            r":2: model: .*response_format",
        ),
        ("---\nmodel: {parameters: {response_format: x}}\n---\nuser:\nx\n", r":2: model: .*response_format"),
        ("---\ninputs: {q: {type: text}}\n---\nuser:\nx\n", r":2: inputs: q: unknown type 'text'"),
        ("---\ninputs: {a-b: {type: string}}\n---\nuser:\nx\n", r":2: inputs: 'a-b' is not a name"),
        (b"---\nname: \xff\n---\nuser:\nx\n", r"not UTF-8: byte 0xff"),
        (
            "---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nhello\n",
            r":4: expected a line such as `system:`",
        ),
        (
            "---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n{{ x\n",
            r":\d: the template is not jinja",
        ),
        (
            "---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\nx\ntool:\ny\n",
            r":6: a prompt cannot have messages of the role tool",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name_and_line(
    tmp_path: Path, text: str | bytes, why: str
) -> None:
    with pytest.raises(PromptError, match=rf"p\.prompty.*{why}" if why[0] != ":" else rf"p\.prompty{why}"):
        compile_prompt(read_prompt_file(write(tmp_path, text)))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({}, "inputs without a value: query"),
        ({"query": "x", "other": "y"}, "not declared: other"),
        ({"query": 1}, "declared as string, got int"),
    ],
)
def test_values_must_be_the_declared_ones(tmp_path: Path, values: dict[str, object], why: str) -> None:
    render = compile_prompt(read_prompt_file(write(tmp_path, GOOD)))
    with pytest.raises(PromptError, match=why):
        render(values)


@each_row(
    ("body", "why"),
    [
        ("{{ nothing }}", "undefined"),
        ("{{ query.__class__.__mro__ }}", "unsafe"),
        ("{% include 'x' %}", r"p.prompty:6: prompts cannot use include"),
        ("{{ 1 / 0 }}", "division"),
        ("{% for x in range(10000000) %}{% endfor %}", "Range too big"),
    ],
)
def test_a_template_gets_no_further_than_its_inputs(tmp_path: Path, body: str, why: str) -> None:
    text = f"---\nscale: {{minimum: 0, maximum: 1, step: 1}}\ninputs: {{query: {{type: string}}}}\n---\nuser:\n{body}\n"
    with pytest.raises(PromptError, match=why):
        compile_prompt(read_prompt_file(write(tmp_path, text)))({"query": "x"})


def test_text_before_the_first_role_is_refused(tmp_path: Path) -> None:
    render = compile_prompt(
        read_prompt_file(
            write(tmp_path, "---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nhello\nuser:\nx\n")
        )
    )
    with pytest.raises(PromptError, match="before the first role"):
        render({})


def test_carriage_returns_a_byte_order_mark_and_dashes_in_the_body_are_no_hindrance(tmp_path: Path) -> None:
    text = "\ufeff---\r\nscale: {minimum: 0, maximum: 1, step: 1}\r\n---\r\nuser:\r\na\r\n---\r\nb\r\n"
    render = compile_prompt(read_prompt_file(write(tmp_path, text)))
    assert render({}) == [{"role": "user", "content": "a\n---\nb"}]


def test_defaults_and_control_flow_work_as_in_promptflow(tmp_path: Path) -> None:
    text = (
        "---\nscale: {minimum: 0, maximum: 1, step: 1}\ninputs:\n  q: {type: list}\n  n: {type: int, default: 3}\n---\n"
        "# System:\nn={{n}}\n{% for x in q %}\nuser:\n{{x}}\n{% endfor %}\n"
    )
    render = compile_prompt(read_prompt_file(write(tmp_path, text)))
    assert render({"q": ["a", "b"]}) == [
        {"role": "system", "content": "n=3"},
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
    ]
