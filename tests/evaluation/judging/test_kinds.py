from __future__ import annotations

from typing import get_args

import pytest

from fiducial.evaluation.judging.kinds import judges_kind
from fiducial.judges.catalogue import DEFAULT_VARIANTS
from fiducial.records import Kind

KINDS: tuple[Kind, ...] = get_args(Kind)


@pytest.mark.parametrize("judge", DEFAULT_VARIANTS)
def test_a_judge_that_comes_along_is_asked_about_some_kinds_and_not_about_all(judge: str):
    assert 0 < sum(judges_kind(judge, kind) for kind in KINDS) < len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_case_has_exactly_one_judge_that_comes_along(kind: Kind):
    assert sum(judges_kind(judge, kind) for judge in DEFAULT_VARIANTS) == 1


@pytest.mark.parametrize("name", ["rubric", "rubric/scale", "rubric@gpt", "rubric/scale@org/model@2"])
def test_variant_and_model_do_not_matter(name: str):
    assert {kind for kind in KINDS if judges_kind(name, kind)} == {"open_answer", "artifact"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_of_ones_own_is_asked_about_everything(kind: Kind):
    assert judges_kind("mine/first@gpt", kind)
