from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from installed_plugins import Install

from fiducial.deterministic.registration import SHIPPED, load_environments, load_functions
from fiducial.errors import ConfigurationError, UsageError

MODULE = """
from math import sqrt

class Garden:
    def load(self, config):
        self.beds = config

    class Shed:
        def load(self, config):
            pass

class Loose:
    pass

def dig(depth):
    return depth

def _secretly():
    pass

TOOLS = {"dig": dig, "math.sqrt": sqrt}
NUMBER = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "garden_tools.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "broken_tools.py").write_text("raise RuntimeError('not today')", encoding="utf-8")
    yield tmp_path
    for name in ("garden_tools", "broken_tools"):
        sys.modules.pop(name, None)


def test_an_environment_is_found_by_module_and_class_and_named_after_the_class(folder: Path):
    found = load_environments(["garden_tools:Garden", "garden_tools:Garden.Shed"], folder)
    assert {name: kind.__qualname__ for name, kind in found.items()} == {
        "Garden": "Garden",
        "Shed": "Garden.Shed",
    }


def test_a_file_stands_for_its_module(folder: Path):
    assert load_environments(["garden_tools.py:Garden"], folder)["Garden"].__qualname__ == "Garden"
    assert list(load_functions(["garden_tools.py"], folder)) == [*SHIPPED, "dig"]
    assert list(load_functions([f"{folder / 'garden_tools.py'}:dig"])) == [*SHIPPED, "dig"]


def test_functions_are_found_singly_by_mapping_or_by_module(folder: Path):
    assert list(load_functions(["garden_tools:dig"], folder)) == [*SHIPPED, "dig"]
    assert list(load_functions(["garden_tools:TOOLS"], folder)) == [*SHIPPED, "dig", "math.sqrt"]
    # What a module merely imports, or marks as its own business, is not offered.
    assert list(load_functions(["garden_tools"], folder)) == [*SHIPPED, "dig"]


def test_the_search_path_is_as_it_was(folder: Path):
    before = list(sys.path)
    load_functions(["garden_tools:dig"], folder)
    assert sys.path == before


@pytest.mark.parametrize(
    "spec", ["", "garden_tools", "garden_tools:", "a b:C", "garden_tools:Garden()", "../x:Y"]
)
def test_an_environment_that_is_not_module_and_class_is_bad_usage(spec: str, folder: Path):
    with pytest.raises(UsageError, match="expected module:Class"):
        load_environments([spec], folder)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_module_at_all:World", "cannot import"),
        ("broken_tools:World", "not today"),
        ("garden_tools:World", "World"),
        ("garden_tools:garden", "did you mean 'Garden'"),
        ("no_such_file.py:World", "cannot import"),
        ("garden_tools:Loose", "a method load"),
        ("garden_tools:dig", "a method load"),
    ],
)
def test_an_environment_that_cannot_be_used_is_a_configuration_error(spec: str, message: str, folder: Path):
    with pytest.raises(ConfigurationError, match=message):
        load_environments([spec], folder)


def test_what_is_not_a_function_is_a_configuration_error(folder: Path):
    with pytest.raises(
        ConfigurationError, match="expected a function, functions by name, or a module of them, got 5"
    ):
        load_functions(["garden_tools:NUMBER"], folder)


def test_what_is_registered_is_found_by_its_own_name_and_after_what_is_named(
    folder: Path, install: Install, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    install("worlds", "Plot", "garden_tools:Garden")
    install("functions", "plot", "garden_tools:TOOLS")
    assert load_environments()["Plot"].__name__ == "Garden"
    assert set(load_functions()) == {"dig", "math.sqrt", *SHIPPED}
    install("worlds", "Shed", "garden_tools:Garden")
    assert load_environments(["garden_tools:Garden.Shed"])["Shed"].__qualname__ == "Garden.Shed"


def test_a_package_that_cannot_be_loaded_stops_only_those_who_use_it(install: Install):
    install("worlds", "Plot", "no_such_module_at_all:World")
    install("functions", "plot", "no_such_module_at_all:plot")
    worlds, functions = load_environments(), load_functions()
    with pytest.raises(ConfigurationError, match=r"'Plot' of fiducial\.worlds"):
        worlds["Plot"]
    with pytest.raises(ConfigurationError, match=r"'plot' of fiducial\.functions"):
        functions["anything"]


def test_functions_of_a_package_that_can_be_loaded_are_found_beside_one_that_cannot(
    folder: Path, install: Install, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    install("functions", "broken", "no_such_module_at_all:plot")
    install("functions", "plot", "garden_tools:TOOLS")
    functions = load_functions()
    assert set(functions) == {"dig", "math.sqrt", *SHIPPED}
    assert callable(functions["dig"])
    with pytest.raises(ConfigurationError, match=r"'broken' of fiducial\.functions"):
        functions["anything"]
