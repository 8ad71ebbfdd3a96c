from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from fiducial.api.price_memory import keep_price, known_prices
from fiducial.judges.prices import Prices, listed_prices


@pytest.fixture
def memory(bare_environment: None) -> Path:
    return user_cache_path("fiducial") / "prices.json"


@pytest.fixture
def kept(memory: Path) -> Path:
    keep_price("gpt-4.1-mini")
    keep_price("a-model-of-my-own")
    return memory


def test_a_price_that_was_kept_is_not_looked_up_again(kept: Path, monkeypatch: pytest.MonkeyPatch):
    listed = listed_prices("gpt-4.1-mini")
    assert json.loads(kept.read_text("utf-8"))["prices"].keys() == {"gpt-4.1-mini", "a-model-of-my-own"}
    monkeypatch.setitem(sys.modules, "genai_prices", None)  # whose import now fails
    assert known_prices()("gpt-4.1-mini") == listed
    assert known_prices()("a-model-of-my-own") is None
    assert known_prices(["1/2"])("gpt-4.1-mini") == Prices(1, 2)
    keep_price("gpt-4.1-mini")


def test_looking_a_price_up_writes_nothing(memory: Path):
    assert known_prices()("gpt-4.1-mini") is not None
    assert not memory.exists()


def test_a_price_that_depends_on_the_hour_is_not_kept(memory: Path):
    assert known_prices()("deepseek-chat") is not None
    keep_price("deepseek-chat")
    assert not memory.exists()


def test_prices_of_another_version_of_the_list_are_looked_up_anew(memory: Path):
    memory.parent.mkdir(parents=True)
    memory.write_text('{"version": "0.0.1", "prices": {"gpt-4.1-mini": [1, 2, null]}}', encoding="utf-8")
    assert known_prices()("gpt-4.1-mini") != Prices(1, 2)
    keep_price("gpt-4.1-mini")
    assert json.loads(memory.read_text("utf-8"))["version"] == version("genai-prices")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 1}', '{"version": "1", "prices": {"m": "x"}}']
)
def test_a_damaged_memory_of_prices_is_made_anew(memory: Path, content: str):
    memory.parent.mkdir(parents=True)
    memory.write_text(content, encoding="utf-8")
    listed = known_prices()("gpt-4.1-mini")
    assert listed is not None
    keep_price("gpt-4.1-mini")
    assert json.loads(memory.read_text("utf-8"))["prices"] == {"gpt-4.1-mini": list(listed)}


def test_a_price_is_known_although_none_can_be_kept(memory: Path):
    memory.mkdir(parents=True)
    keep_price("gpt-4.1-mini")
    assert known_prices()("gpt-4.1-mini") is not None
