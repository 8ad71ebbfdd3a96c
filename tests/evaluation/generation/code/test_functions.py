"""The code of a function, and of what it uses of its project."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from each_row import each_row

from fiducial.evaluation.generation.code.functions import changed_parts, code_of_function

Load = Callable[[str], ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Makes a module of a text, anew each time."""
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType] - not typed
    (tmp_path / "beside.py").write_text("ANSWER = 1\n")
    numbers = iter(range(100))

    def make(text: str) -> ModuleType:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        path = folder / "my_agent.py"
        path.write_text(text)
        spec = spec_from_file_location("my_agent", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "my_agent", module)
        spec.loader.exec_module(module)
        return module

    return make


AGENT = """
import json
TEMPERATURE = 0.5
UNUSED = 1

def helper(text):
    return text

class Client:
    def ask(self):
        return TEMPERATURE

def agent(case):
    return helper(json.dumps(Client().ask()))

def report():
    return 1
"""


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("return helper(json", "return str(json", ["agent", "helper"]),
        ("return text", "return text + '!'", ["helper"]),
        ("TEMPERATURE = 0.5", "TEMPERATURE = 0.7", ["TEMPERATURE"]),
        ("return TEMPERATURE", "return 2 * TEMPERATURE", ["Client"]),
        ("return 1", "return 2", []),
        ("UNUSED = 1", "UNUSED = 2", []),
    ],
)
def test_a_change_of_what_the_agent_uses_is_told_and_no_other(
    load: Load, before: str, after: str, changed: list[str]
):
    first = code_of_function(load(AGENT).agent) or {}
    assert before in AGENT
    second = code_of_function(load(AGENT.replace(before, after)).agent) or {}
    assert changed_parts(first, second) == changed


@pytest.mark.parametrize(
    "text",
    [
        "import beside\ndef agent(case): return beside.ANSWER\n",
        "from beside import ANSWER\ndef agent(case):\n    import beside\n    return ANSWER\n",
        "def agent(case):\n    from beside import ANSWER\n    return ANSWER\n",
    ],
)
def test_modules_of_the_project_count_whole(load: Load, tmp_path: Path, text: str):
    module = load(text)
    if "    " in text:  # an import within a function is of the folder of its file
        Path(str(module.__file__)).with_name("beside.py").write_text("ANSWER = 1\n")
    first = code_of_function(module.agent) or {}
    for file in tmp_path.rglob("beside.py"):
        file.write_text("ANSWER = 2\n")
    (part,) = changed_parts(first, code_of_function(module.agent) or {})
    assert part.endswith("beside.py")


def test_what_an_agent_was_made_with_counts_and_what_it_counts_does_not():
    class Bot:
        def __init__(self, model: str) -> None:
            self.model = model
            self.asked = 0

        def __call__(self, case: Any) -> str:
            self.asked += 1
            return f"{self.model}{case}"

    def make(model: str) -> Callable[[Any], str]:
        return lambda case: f"{model}{case}"

    def agent(case: Any, model: str) -> str:
        return f"{model}{case}"

    makers: list[Callable[[str], Any]] = [
        Bot,
        make,
        lambda model: partial(agent, model=model),
        lambda model: Bot(model).__call__,
    ]
    for maker in makers:
        first, second = code_of_function(maker("a")), code_of_function(maker("b"))
        assert first is not None
        assert second is not None
        assert first != second
        assert first == code_of_function(maker("a"))
    bot = Bot("a")
    before = code_of_function(bot)
    bot("case")
    assert code_of_function(bot) == before


def test_a_list_that_an_agent_fills_is_no_code():
    asked = list[str]()

    def agent(case: str) -> str:
        asked.append(case)
        return case

    before = code_of_function(agent)
    agent("a")
    assert code_of_function(agent) == before


BUILT_IN: list[Any] = [str, len, partial(str), "".join, pytest.raises]


@each_row("function", BUILT_IN)
def test_code_of_python_and_of_installed_packages_is_not_tracked(function: Any):
    assert code_of_function(function) is None


def test_functions_without_a_file_are_tracked_by_what_they_were_compiled_to():
    def typed(text: str) -> dict[str, str]:
        names: dict[str, Any] = {"__name__": "typed"}
        exec(text, names)
        return code_of_function(names["agent"]) or {}

    text = "MODEL = 'a'\ndef helper(x): return x\ndef agent(case): return helper(MODEL)\n"
    assert changed_parts(typed(text), typed(text)) == []
    assert changed_parts(typed(text), typed(text.replace("return x", "return 2"))) == ["helper"]
    assert changed_parts(typed(text), typed(text.replace("'a'", "'b'"))) == ["MODEL"]
