from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.api.declared_scales import with_scale
from fiducial.errors import PromptError, UsageError
from fiducial.judges.prompt_file import read_prompt_file

PROMPT = """---
name: theirs
inputs:
  response: {type: string}
---
system:
Grade from 1 to 5.

user:
{{response}}
"""


@pytest.fixture
def prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "theirs.prompty"
    path.write_text(PROMPT)
    return path


def test_a_prompt_without_a_scale_gets_the_one_that_is_named(prompt: Path):
    copy = Path(with_scale(str(prompt), "1-5"))
    scale = read_prompt_file(copy).scale
    assert (scale.minimum, scale.maximum, scale.better) == (1, 5, "high")
    assert copy.name == "theirs.prompty"
    assert prompt.read_text() == PROMPT


def test_the_same_scale_gives_the_same_copy_and_another_scale_another(prompt: Path):
    assert with_scale(str(prompt), "1-5") == with_scale(str(prompt), "1-5")
    assert with_scale(str(prompt), "1-5") != with_scale(str(prompt), "5-1")


def test_a_model_behind_the_file_stays(prompt: Path):
    assert with_scale(f"{prompt}@small", "1-5").endswith("theirs.prompty@small")


def test_a_judge_that_is_no_file_is_left_as_it_is():
    assert with_scale("groundedness/direct", "1-5") == "groundedness/direct"


def test_a_file_that_declares_a_scale_and_a_scale_that_is_none_are_refused(prompt: Path):
    declared = with_scale(str(prompt), "1-5")
    with pytest.raises(UsageError, match="declares a scale; leave scale= out"):
        with_scale(declared, "0-1")
    with pytest.raises(UsageError, match="scale=high: expected the worst score and the best"):
        with_scale(str(prompt), "high")
    prompt.write_text("Grade.")
    with pytest.raises(PromptError):
        with_scale(str(prompt), "1-5")


def test_a_prompt_that_cannot_be_used_is_named_by_its_own_file_and_line(prompt: Path):
    prompt.write_text(PROMPT.replace("response", "contexts"))
    with pytest.raises(PromptError) as refused:
        with_scale(str(prompt), "1-5")
    assert str(refused.value).startswith(f"{prompt}:3: nothing fills the input 'contexts'")
