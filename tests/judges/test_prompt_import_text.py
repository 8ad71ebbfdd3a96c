"""Prompts that are plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.judges.prompt_import import import_prompt
from fiducial.judges.scale import suggested_scale


def test_plain_text_is_kept_to_the_letter_and_its_scale_is_found(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Grade the answer from 1 (useless) to 5 (perfect).\nBe strict: {braces} stay.\n")
    with pytest.raises(InputError, match="say scale=1-5 step=1 "):
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
