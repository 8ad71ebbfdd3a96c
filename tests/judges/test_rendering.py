"""Templates of names alone, filled as jinja fills them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judges.bounded_template import bounded_template, jinja_template
from fiducial.judges.catalogue import all_prompts
from fiducial.judges.prompt_file import read_prompt_file
from fiducial.judges.rendering import plain_template
from fiducial.judges.template_limits import FREE_CHARACTERS, TemplateLimitError

NAMES = ("query", "response", "fence")
TEXTS = st.text("ab {}%#\r\n\0:-", max_size=12)
PIECES = st.one_of(
    TEXTS, st.sampled_from([*(f"{{{{{name}}}}}" for name in NAMES), "{{ query }}", "{{  response}}"])
)
VALUES = st.one_of(
    st.text(max_size=20), st.integers(), st.booleans(), st.none(), st.lists(st.text(), max_size=3)
)


@given(st.lists(PIECES, max_size=8).map("".join), st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)))
def test_the_text_equals_jinjas(source: str, values: dict[str, Any]):
    plain = plain_template(source)
    if plain is not None:
        assert plain(values) == bounded_template(source)(values)


@each_row(
    "source",
    [
        "{% if a %}x{% endif %}",
        "{# remark #}",
        "{{ a | upper }}",
        "{{ a.b }}",
        "{{- a }}",
        "{{ true }}",
        "{{ range }}",
        "{{ a",
        "{{a}}" * 1001,
    ],
)
def test_what_jinja_alone_understands_is_left_to_it(source: str):
    assert plain_template(source) is None


def test_a_name_without_a_value_and_a_text_without_bounds_are_errors_as_in_jinja():
    for source, values in (("{{a}}", {}), ("{{a}}" * 1000, {"a": "x" * (FREE_CHARACTERS // 900)})):
        plain = plain_template(source)
        assert plain is not None
        with pytest.raises(TemplateLimitError) as raised:
            plain(values)
        with pytest.raises(TemplateLimitError) as by_jinja:
            jinja_template(source)(values)
        assert str(raised.value) == str(by_jinja.value)


def test_all_shipped_prompts_hold_names_alone():
    files = list(all_prompts().values())
    assert files
    assert [file for file in files if plain_template(read_prompt_file(file).template) is None] == []


def test_compiling_a_shipped_prompt_loads_no_jinja():
    code = (
        "import sys; from fiducial.judges import load_judge; load_judge('groundedness', model='m')\n"
        "print('jinja2' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "False"
