"""Conversations before a question: held once, in order, and gone on with after a kill."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import InputError, ProviderError, RunFolderError
from fiducial.evaluation.generation.memory.histories import (
    Remembered,
    read_histories,
    with_opening,
)
from fiducial.evaluation.generation.memory.one_text import TextMemory
from fiducial.records import Case

STORE = "MemoryAPI_rec_sum"


def histories(tmp_path: Path, *says: str) -> Any:
    path = tmp_path / "histories.jsonl"
    rows = [
        {"history": "ada", "id": str(number), "messages": [{"role": "user", "content": text}]}
        for number, text in enumerate(says)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_histories(path)


def question(number: int = 0, history: str | None = "ada") -> Case:
    return Case(id=f"q{number}", kind="memory_answer", reference={"answers": ["x"], "history": history})


class Listener:
    """Writes down what is said; fails when told to."""

    def __init__(self, fail_at: str = "") -> None:
        self.held: list[str] = []
        self.seen: list[str] = []
        self.fail_at = fail_at

    async def __call__(self, case: Case, memory: Any) -> None:
        await asyncio.sleep(0)
        first, second = case.messages
        assert isinstance(first, dict)
        assert isinstance(second, dict)
        if second["content"] == self.fail_at:
            raise ProviderError("refused")
        self.held.append(case.id)
        self.seen.append(first["content"].rpartition("\n")[2])
        memory.memory_append(second["content"])


def before(remembered: Remembered, hold: Listener, *cases: Case, trial: int = 0) -> list[dict[str, Any]]:
    async def all_of_them() -> list[dict[str, Any]]:
        asked = [remembered.before(case, STORE, TextMemory, trial, hold) for case in cases]
        return await asyncio.gather(*asked)

    return asyncio.run(all_of_them())


def test_questions_to_one_history_share_what_it_left(tmp_path: Path):
    hold = Listener()
    states = before(Remembered(histories(tmp_path, "one", "two")), hold, question(1), question(2))
    assert states == [{"text": "one\ntwo"}, {"text": "one\ntwo"}]
    assert hold.held == ["ada/0", "ada/1"]
    assert hold.seen == ["(nothing yet)", "one"]


def test_each_trial_has_a_memory_of_its_own(tmp_path: Path):
    hold, remembered = Listener(), Remembered(histories(tmp_path, "one"))
    before(remembered, hold, question(), trial=0)
    before(remembered, hold, question(), trial=1)
    assert hold.held == ["ada/0", "ada/0"]


def test_a_killed_run_goes_on_with_the_next_conversation(tmp_path: Path):
    told = histories(tmp_path, "one", "two", "three")
    with pytest.raises(ProviderError):
        before(Remembered(told, tmp_path / "kept"), Listener(fail_at="two"), question())
    hold = Listener()
    assert before(Remembered(told, tmp_path / "kept"), hold, question()) == [{"text": "one\ntwo\nthree"}]
    assert hold.held == ["ada/1", "ada/2"]
    again = Listener()
    assert before(Remembered(told, tmp_path / "kept"), again, question()) == [{"text": "one\ntwo\nthree"}]
    assert again.held == []


def test_what_follows_a_changed_conversation_is_held_again(tmp_path: Path):
    before(Remembered(histories(tmp_path, "one", "two", "three"), tmp_path / "kept"), Listener(), question())
    hold = Listener()
    before(Remembered(histories(tmp_path, "one", "2", "three"), tmp_path / "kept"), hold, question())
    assert hold.held == ["ada/1", "ada/2"]


def test_a_question_without_a_history_begins_with_nothing(tmp_path: Path):
    assert before(Remembered(histories(tmp_path, "one")), Listener(), question(history=None)) == [{}]


def test_a_history_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"case 'q0': no history is called 'bea' .*known are: ada"):
        before(Remembered(histories(tmp_path, "one")), Listener(), question(history="bea"))


def test_a_damaged_memory_is_named(tmp_path: Path):
    told = histories(tmp_path, "one")
    before(Remembered(told, tmp_path / "kept"), Listener(), question())
    (file,) = (tmp_path / "kept").rglob("*.json")
    file.write_text("{")
    with pytest.raises(RunFolderError, match="not a saved memory"):
        before(Remembered(told, tmp_path / "kept"), Listener(), question())


@pytest.mark.parametrize("name", ["..", "a/../../b", ".", "a\nb"])
@pytest.mark.attack("the web of agents")
def test_a_historys_name_leads_nowhere_else(tmp_path: Path, name: str):
    path = tmp_path / "histories.jsonl"
    path.write_text(json.dumps({"history": name, "id": "0", "messages": [{"role": "user", "content": "x"}]}))
    before(Remembered(read_histories(path), tmp_path / "kept"), Listener(), question(history=name))
    assert [file.parent.parent for file in tmp_path.rglob("0000.json")] == [tmp_path / "kept"]


def test_a_conversation_stands_once_in_its_history(tmp_path: Path):
    path = tmp_path / "histories.jsonl"
    path.write_text((json.dumps({"history": "a", "id": "0", "messages": []}) + "\n") * 2)
    with pytest.raises(InputError, match="occurs twice") as told:
        read_histories(path)
    assert told.value.line == 2


def test_an_agent_is_told_of_its_memory_in_one_system_message():
    memory = TextMemory()
    memory.load({"text": "Ada lives in Lucca."})
    user = {"role": "user", "content": "Where?"}
    (told, same) = with_opening([{"role": "system", "content": "Be brief."}, user], memory)
    assert isinstance(told, dict)
    assert told["content"].endswith("Ada lives in Lucca.\n\nBe brief.")
    assert same == user
    ((first, second), later) = with_opening([[user], [user]], memory)
    assert isinstance(first, dict)
    assert (first["role"], second, later) == ("system", user, [user])
