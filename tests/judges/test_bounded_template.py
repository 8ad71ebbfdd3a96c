"""Templates by strangers: forbidden features are refused by line, allowed ones bounded.

What prompts need works as in jinja.
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import jinja2
import pytest
from each_row import each_row
from jinja2.sandbox import ImmutableSandboxedEnvironment

from fiducial.errors import PromptError
from fiducial.judges import load_judge
from fiducial.judges.as_json import json_lines
from fiducial.judges.bounded_template import bounded_template
from fiducial.judges.template_bounds import MAX_TURNS
from fiducial.judges.template_limits import TemplateLimitError

HEAD = "---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n"
FAILS = (TemplateLimitError, jinja2.TemplateError, TypeError, ValueError, ArithmeticError)
LISTED = "model: {parameters: {response_format: {type: json_schema, json_schema: {schema: {properties: {score: %s}}}}}}"
SENTENCES = ["One.", "Two.", "Three."]


def loading(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "p.prompty"
    path.write_text(text, encoding="utf-8")
    return load_judge(str(path), model="m")


@pytest.mark.attack("prompts")
@each_row(
    ("body", "why"),
    [
        ("{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}", "more than 20,000 parts"),
        ("{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}", "nested too deeply"),
        ("{% if 1 %}" * 5_000 + "x" + "{% endif %}" * 5_000, "more than 20,000 parts"),
        ("{% if 1 %}" * 500 + "x" + "{% endif %}" * 500, "nested too deeply"),
        ("{% for a in [1] %}" * 25 + "x" + "{% endfor %}" * 25, "nested too deeply"),
        ("{{ " + "1 + " * 4_000 + "1 }}", "nested too deeply"),
        ("{{ " + "not " * 900 + "1 }}", "nested too deeply"),
        ("{{ 1 }}" * 100_000, "more than 20,000 parts"),
        ("{{ 'a'|center(5000000000) }}", "No filter named 'center'"),
        ("{{ 'a'|random }}", "No filter named 'random'"),
        ("{{ 9 ** 9 ** 9 }}", "cannot use pow"),
        ("{% set x %}{{ 1 }}{% endset %}", "cannot use assignblock"),
        ("{% macro m() %}{{ m() }}{% endmacro %}", "cannot use macro"),
        ("{% for x in [] recursive %}{{ loop(x) }}{% endfor %}", "cannot use recursive loops"),
        ("{% set x = [1] %}{% set x = [x, x] %}", "lists only of constants"),
        ("{% set x = {'a': x} %}", "lists only of constants"),
        ("{% import 'x' as x %}", "cannot use import"),
    ],
)
def test_what_prompts_may_not_use_is_one_line_that_names_the_file_and_the_line(
    tmp_path: Path, body: str, why: str
):
    with pytest.raises(PromptError, match=why) as error:
        loading(tmp_path, HEAD + body)
    assert str(error.value).startswith(f"{tmp_path}/p.prompty:")
    assert "\n" not in str(error.value)


@pytest.mark.attack("prompts")
@pytest.mark.parametrize(
    "body",
    [
        "{{ 'a' * 900000000 }}",
        "{{ [1] * 900000000 }}",
        "{{ '%900000000d' % 1 }}",
        "{{ '{:900000000}'.format(1) }}",
        "{{ 'a'.center(900000000) }}",
        "{{ 'a'.zfill(900000000) }}",
        "{% set range = q.center %}{{ range(900000000) }}",
        "{% set x = q %}{% for i in range(99) %}{% endfor %}" + "{% set x = x ~ x %}" * 60 + "{{ x }}",
        "{% set x = q %}" + "{% set x = x + x %}" * 60 + "{{ x }}",
        "{% set x = q %}" + "{% set x = [1, 2]|join(x) ~ x %}" * 60 + "{{ x }}",
        "{% set x = q %}" + "{% set x = x|replace('a', x) %}" * 60 + "{{ x }}",
        "{% set x = q %}" + "{% set x = x|indent(x, true) %}" * 60 + "{{ x }}",
        "{{ '" + "a" * 400_000 + "'|replace('', '" + "b" * 400_000 + "') }}",
    ],
)  # fmt: skip
def test_nothing_takes_more_than_is_in_proportion_to_what_it_is_given(body: str):
    tracemalloc.start()
    try:
        with pytest.raises(FAILS):
            bounded_template(body)({"q": "ab" * 4_000})
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()


ENDLESS = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{{ q }}{% endfor %}",
    "{% for a in range(999) if a < 0 %}{% endfor %}" * 200,
    "{% for a in range(99999) %}{% if q|upper|length %}{% endif %}{% endfor %}",
    "{% for a in range(99999) %}{% if q|map('upper')|list|length %}{% endif %}{% endfor %}",
    "{% for a in range(99999) %}{% set b = q[1:] %}{% if q|select('in', q)|list %}{% endif %}{% endfor %}",
    "{% for a in range(99999) %}{% if q.split('a') %}{% endif %}{% endfor %}",
    "{% if q|sort %}{% endif %}" * 1_000,
    "{% if q|max %}{% endif %}" * 1_000,
    "{% if 'zz' in q|unique %}{% endif %}" * 1_000,
    "{% if q|title %}{% endif %}" * 1_000,
    "{% if range(99999)|min %}{% endif %}" * 1_000,
    "{% if q|select('in', q)|list %}{% endif %}" * 3,
    "{% if q|join %}{% endif %}" * 1_000,
]
"""Loops and filters that go on and on, each stopped by a limit of its own kind."""


@pytest.mark.attack("prompts")
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, marks=[pytest.mark.slow] if number > 1 else [])
        for number, body in enumerate(ENDLESS)
    ],
)
def test_no_loop_goes_on_and_on(body: str):
    with pytest.raises(TemplateLimitError):
        bounded_template(body)({"q": "ab" * 4_000})


@pytest.mark.attack("prompts")
@pytest.mark.parametrize(
    "kept",
    [
        "q[1:]",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("q ~ ''", "q|upper", "q.strip('a')", "q|list")
        ),
    ],
)
def test_copies_of_a_long_text_are_not_kept_without_end(kept: str):
    body = "".join(f"{{% set kept_{number} = {kept} %}}" for number in range(1_000))
    with pytest.raises(TemplateLimitError, match="far more text than it is given"):
        bounded_template(body)({"q": "ab" * 500_000})


def test_turns_of_loops_are_counted_anew_for_every_rendering():
    render = bounded_template("{% for a in q %}{% endfor %}")
    for _ in range(3):
        assert render({"q": range(MAX_TURNS)}) == ""
    with pytest.raises(TemplateLimitError, match="take more than 100,000 turns"):
        render({"q": range(MAX_TURNS + 1)})


@each_row(
    "body",
    [
        "{{ q }}{{ parts }}{{ rows }}",
        "{% for part in parts %}{{ loop.index }}/{{ loop.length }}: {{ part }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "{% for part in parts if 'o' in part %}{{ part|upper }}{% else %}none{% endfor %}",
        "{% for row in rows %}{% for key, value in row.items() %}{{ key }}={{ value }};{% endfor %}{% endfor %}",
        "{% for name in rows|map(attribute='name')|unique|sort %}{{ loop.cycle('a', 'b') }}{{ name }}{% endfor %}",
        "{{ rows|tojson }} {{ rows|tojson(indent=2) }} {{ parts|join(', ') }} {{ rows|join('-', attribute='name') }}",
        "{{ q|replace('a', 'b') }} {{ q|replace('', '.', 2) }} {{ 'a\nb'|indent(2) }} {{ 'a\nb'|indent('> ', true) }}",
        "{{ q ~ '-' ~ 1 }} {{ q + q }} {{ 7 * 6 }} {{ 7 / 2 }} {{ 7 // 2 }} {{ 7 % 4 }} {{ parts|length + 1 }}",
        "{{ q[0] }} {{ q[1:3] }} {{ rows[0].name }} {{ rows[0]['name'] }} {{ parts|first }} {{ parts|last|trim('.') }}",
        "{{ q.strip().upper() }} {{ q.startswith('a') }} {{ 'a,b'.split(',')|last }} {{ rows[0].get('none', 'x') }}",
        "{{ 'yes' if q else 'no' }} {{ none|default('d', true) }} {{ 2.345|round(2) }} {{ '7'|int + 1 }} {{ q is string }}",
        "{% raw %}{{ q }}{% endraw %}{# no #}{% set n = parts|length %}{{ n }}{%- if n > 2 and not n == 4 %} many{% endif %}",
        "{{ q|truncate(5) }} {{ rows|selectattr('name', 'equalto', 'b')|list }} {{ range(3)|list }} {{ [1, 2]|max }}",
    ],
)
def test_what_prompts_do_use_comes_out_as_from_jinja(body: str):
    values = {
        "q": "abc abc abc",
        "parts": json_lines(SENTENCES),
        "rows": [{"name": "b", "n": 1}, {"name": "a", "n": 2}],
    }
    plain = ImmutableSandboxedEnvironment(
        trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    assert bounded_template(body)(values) == plain.from_string(body).render(values)


def test_a_long_text_under_evaluation_is_no_reason_to_refuse_it():
    text = "é" * 20_000_000
    body = "{{ q }}{{ q|trim }}{{ q|upper|length }}"
    assert len(bounded_template(body)({"q": text})) == 2 * len(text) + 8


@pytest.mark.attack("prompts")
@each_row(
    ("front", "why"),
    [
        ("scale: {minimum: 0, maximum: 100, step: 1.0e-308}", r":2: scale: .*more than 1,000,000 steps"),
        ("scale: {minimum: -1.0e+308, maximum: 1.0e+308}", r":2: scale: .*finite"),
        ("sample: {" + ", ".join(f"k{number}: 1" for number in range(40_000)) + "}", "more than 5,000 keys and values"),
        ("\n".join(f"k{number}: 1" for number in range(40_000)), "more than 5,000 keys and values"),
        ("sample: " + "[" * 100_000, "front matter"),
        (LISTED % "{type: integer, minimum: -1.0e+308, maximum: 1.0e+308}", "is not declared"),
    ],
)  # fmt: skip
def test_front_matter_that_takes_more_than_it_is_worth_is_refused(tmp_path: Path, front: str, why: str):
    with pytest.raises(PromptError, match=why) as error:
        loading(tmp_path, f"---\n{front}\n---\nuser:\nx\n")
    assert "\n" not in str(error.value)
