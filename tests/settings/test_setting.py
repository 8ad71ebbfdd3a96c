"""Settings: declared once, as fields of structs that share parts."""

from pathlib import Path
from typing import Annotated, Literal

import pytest

from fiducial.settings.setting import DeclaredSettings, Setting, names_of, verb_settings


class _Place(DeclaredSettings):
    out: Annotated[Path, Setting("Where it goes.", required=True)]
    seed: Annotated[int, Setting("Seed.")] = 0


class _Draw(DeclaredSettings):
    seed: Annotated[int, Setting("Another seed.")] = 1
    by: Annotated[Literal["a", "b"] | None, Setting("How.", option="--how")] = None


class _Verb(_Draw, _Place):
    names: Annotated[tuple[str, ...], Setting("Names.")] = ()


def test_a_verb_has_its_own_settings_and_then_those_of_its_parts_each_once():
    assert names_of(_Verb) == {"names": _Verb, "seed": _Draw, "by": _Draw, "out": _Place}


def test_a_setting_has_a_type_choices_a_default_and_an_option():
    settings = {each.name: each for each in verb_settings(_Verb)}
    assert settings["names"][1:5] == (str, (), True, ())
    assert settings["by"][1:5] == (str, ("a", "b"), False, None)
    assert settings["seed"][1:5] == (int, (), False, 1)
    assert [settings[name].option for name in ("by", "out")] == ["--how", "--out"]


def test_settings_are_given_by_name_and_do_not_change():
    verb = _Verb(out=Path("x"), names=("a",))
    assert (verb.out, verb.names, verb.seed, verb.by) == (Path("x"), ("a",), 1, None)
    assert verb.replace(seed=2).seed == 2
    with pytest.raises(AttributeError):
        verb.seed = 3  # pyright: ignore[reportAttributeAccessIssue] - frozen, which is tried
    for wrong in ({}, {"out": Path("x"), "unknown": 1}):
        with pytest.raises(TypeError):
            _Verb(**wrong)  # pyright: ignore[reportArgumentType] - which is tried
