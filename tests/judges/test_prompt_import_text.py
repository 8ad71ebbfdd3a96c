"""Prompts that are plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

from fiducial.errors import InputError
from fiducial.judges.parsing import make_parser
from fiducial.judges.prompt_import import import_prompt
from fiducial.judges.prompt_scale import suggested_scale
from fiducial.judges.rendering import compile_prompt


def test_plain_text_is_kept_to_the_letter_and_its_scale_is_found(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Grade the answer from 1 (useless) to 5 (perfect).\nBe strict: {braces} stay.\n")
    with pytest.raises(InputError, match="say scale=1-5, step=1 "):
        import_prompt(path, tmp_path / "mine.prompty")
    text, prompt = import_prompt(path, tmp_path / "mine.prompty", scale="1-5", step=1)
    assert "Grade the answer from 1 (useless) to 5 (perfect).\nBe strict: {braces} stay." in text
    assert (prompt.scale.minimum, prompt.scale.maximum) == (1, 5)


def test_an_empty_file_is_no_prompt(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n")
    with pytest.raises(InputError, match="got an empty file"):
        import_prompt(path, tmp_path / "out.prompty")


@pytest.mark.parametrize("text", ["from 1 (useless) to 5", "from 1 (bad) to 5 (good)", "from 1 to 5", "1-5"])
def test_a_range_is_found_with_words_behind_its_first_end(text: str) -> None:
    scale, _ = suggested_scale(f"Say a score {text}.")
    assert (scale.minimum, scale.maximum) == (1, 5)


_STRICT = "Grade from 0 to 10.\nContext: {context}\nQ: {question}\nA: {answer}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.md", _STRICT + 'Reply {{"reason": "...", "score": 7}}'),
        ("mine.txt", _STRICT.replace("{", "{{").replace("}", "}}") + 'Reply {"reason": "...", "score": 7}'),
        ("mine.jinja2", "# system:\nBe strict. {# why #}\n# user:\n" + _STRICT.replace("{", "{{ ").replace("}", " }}") + 'Reply {"reason": "...", "score": 7}'),
    ],
)  # fmt: skip
def test_placeholders_of_a_text_are_filled_in_place(tmp_path: Path, name: str, text: str) -> None:
    path, out = tmp_path / name, tmp_path / "out.prompty"
    path.write_text(text)
    with pytest.raises(
        InputError, match=r"nothing fills the input 'context', 'answer'; say .*context=search_results"
    ):
        import_prompt(path, out, scale="0-10", step=1)
    written, prompt = import_prompt(path, out, ["context=search_results", "answer=response"], "0-10", 1)
    assert "begin response" not in written
    assert prompt.parse == {"mode": "json", "score": "score", "reason": "reason"}
    messages = compile_prompt(prompt)({"context": "C {x}", "question": "Q?", "answer": "A"})
    assert 'Context: C {x}\nQ: Q?\nA: A\nReply {"reason": "...", "score": 7}' in str(messages[-1]["content"])
    assert prompt.inputs["question"].source == "query"


def test_a_loop_over_what_is_one_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja2"
    path.write_text("Grade 0 or 1.\n{% for c in contexts %}{{ c }}{% endfor %}\n{{ response }}")
    with pytest.raises(
        InputError, match=r"mine.jinja2:2: contexts is one text here.* write \{\{contexts\}\}"
    ):
        import_prompt(path, tmp_path / "out.prompty", scale="0-1", step=1)


@each_row(
    ("text", "label"),
    [
        ('Write "Reason:" and why, then "Score:" and a number.', "Score:"),
        ("Reason: <why>\nScore: <1-5>\n", "Score:"),
        ("**Final score:** [1-5]", "Final score:"),
        ("Reply like this:\nReason: it is polite\nRating: 4\n", "Rating:"),
        ("Explanation:\nScore:\n", "Score:"),
    ],
)
def test_a_prompt_that_shows_a_label_gets_the_parser_of_the_number_after_it(
    tmp_path: Path, text: str, label: str
) -> None:
    for name, shown in (("a.txt", text), ("b.txt", f"Grade {{response}}.\n{text}")):
        (tmp_path / name).write_text(shown)
        _, prompt = import_prompt(tmp_path / name, tmp_path / "out.prompty", scale="1-5")
        assert prompt.parse == {"mode": "number", "after": label}
        assert make_parser(prompt)(f"Reason: meh.\n{label} 5").score == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Grade from 1 to 5, with the number only.\nScore:",
        "Give a score: only the number.",
        "Score: <1-5>\nReason: <why>",
        "Score: 1 is bad, 5 is good. Reply with the number.",
    ],
)
def test_a_label_that_only_cues_the_reply_or_comes_before_the_reason_changes_no_parser(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "a.txt").write_text(text)
    _, prompt = import_prompt(tmp_path / "a.txt", tmp_path / "out.prompty", scale="1-5")
    assert prompt.parse is None
