"""Histories: conversations that precede questions to an agent with a memory, each held once.

A file of histories is JSON Lines, one conversation per line: ``{"history": "customer", "id": "...", "messages": [...]}``. The conversations of a
history are held in the order of their lines. The memory is saved after each, so that a killed run continues with the next, and all questions
about a history share its memory.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

import msgspec

from ....errors import InputError, RecordError, RunFolderError
from ....records import (
    Case,
    InputPath,
    Message,
    atomic_write,
    decode_record,
    read_numbered,
    read_regular_file,
)
from ....records.case import Record
from ....spelling import setting

OPENING = (
    "You talk with people over several conversations. Between them you remember only what is in your memory, which you write and read with its tools; "
    "write down what may be asked about later."
)

_VISIBLE_PART = "This is in the part of your memory that you see without reading it:"
_EMPTY_MEMORY = "(nothing yet)"


class Conversation(Record, frozen=True, kw_only=True):
    """Conversation that precedes questions.

    Attributes:
        history: Name of its history.
        id: Id, unique in its history.
        messages: The user's messages, or turns of them, as in ``Case.messages``.
    """

    history: str
    id: str
    messages: list[Message | list[Message]]


class _MemoryKey(NamedTuple):
    """Key of a memory: name of its world, name of the history, and number of the attempt."""

    name: str
    history: str
    trial: int


class Checkpoint(Record, frozen=True, kw_only=True):
    """Snapshot of a memory after a conversation, and a hash of everything that led to it."""

    asked: str
    state: dict[str, Any]


Hold: TypeAlias = Callable[[Case, Any], Awaitable[object]]
"""Function that holds the conversation of a case, in which the agent writes to a memory."""


def read_histories(path: InputPath) -> dict[str, list[Conversation]]:
    """Read a file of histories.

    Raises:
        InputError: A line is not a conversation, or one id occurs twice in a history.
    """
    histories: dict[str, list[Conversation]] = {}
    seen = set[tuple[str, str]]()
    for line, conversation in read_numbered(path, Conversation):
        if (conversation.history, conversation.id) in seen:
            message = f"{conversation.id!r} occurs twice in {conversation.history!r}"
            raise InputError(message, path=path, line=line, field="id")
        seen.add((conversation.history, conversation.id))
        histories.setdefault(conversation.history, []).append(conversation)
    return histories


class Remembered:
    """Memories after histories; each history is held once.

    Args:
        histories: Conversations by history.
        folder: Folder in which memories are saved after each conversation; None to keep them only in memory.
    """

    def __init__(self, histories: Mapping[str, Sequence[Conversation]], folder: Path | None = None) -> None:
        self._histories = histories
        self._folder = folder
        self._known: dict[_MemoryKey, dict[str, Any]] = {}
        self._locks: dict[_MemoryKey, asyncio.Lock] = {}

    def examine(self, case: Case) -> None:
        """Raise an InputError for a case whose history does not exist."""
        history: str | None = case.reference.get("history")
        if history is not None and history not in self._histories:
            names = ", ".join(sorted(self._histories)) or "none"
            message = f"case {case.id!r}: no history is called {history!r} ({setting('histories')}); known are: {names}"
            raise InputError(message, field="reference.history")

    async def before(self, case: Case, name: str, store: type[Any], trial: int, hold: Hold) -> dict[str, Any]:
        """Return a snapshot of the memory before a case; empty for a case without a history.

        Raises:
            InputError: The history does not exist.
            RunFolderError: A saved memory cannot be read.
        """
        history: str | None = case.reference.get("history")
        if history is None:
            return {}
        self.examine(case)
        key = _MemoryKey(name, history, trial)
        # Questions about one history may be asked at once; the first holds its conversations.
        async with self._locks.setdefault(key, asyncio.Lock()):
            if key not in self._known:
                self._known[key] = await self._replay(case, key, store, hold)
        return self._known[key]

    async def _replay(self, case: Case, key: _MemoryKey, store: type[Any], hold: Hold) -> dict[str, Any]:
        """Hold a history's conversations after the last valid checkpoint; return the memory's state."""
        name, history, _ = key
        state: dict[str, Any] = {}
        prefix_hash = _hash([name, case.tools])
        for number, conversation in enumerate(self._histories[history]):
            prefix_hash = _hash([prefix_hash, conversation])  # a change makes all later checkpoints invalid
            file = self._checkpoint_file(key, number)
            checkpoint = _read_checkpoint(file)
            if checkpoint is None or checkpoint.asked != prefix_hash:
                memory = store()
                memory.load(state)
                await hold(_as_case(case, conversation, name, memory), memory)
                checkpoint = Checkpoint(asked=prefix_hash, state=memory.state())
                _write_checkpoint(file, checkpoint)
            state = checkpoint.state
        return state

    def _checkpoint_file(self, key: _MemoryKey, number: int) -> Path | None:
        if self._folder is None:
            return None
        name, history, trial = key
        return self._folder / f"{name}-{quote(history, safe='')}-{trial}" / f"{number:04}.json"


def with_opening(messages: Sequence[Message | list[Message]], memory: Any) -> list[Message | list[Message]]:
    """Add instructions about the agent's memory, with its visible part, to a conversation."""
    opening = f"{OPENING}\n\n{_VISIBLE_PART}\n{memory.at_hand() or _EMPTY_MEMORY}"
    has_turns = bool(messages) and isinstance(messages[0], list)
    first_turn: list[Message] = list(messages[0]) if has_turns else list(messages)  # pyright: ignore[reportAssignmentType, reportArgumentType]
    if first_turn and first_turn[0].get("role") == "system":
        system, *others = first_turn
        with_instructions = [{**system, "content": f"{opening}\n\n{system.get('content', '')}"}, *others]
    else:
        with_instructions = [{"role": "system", "content": opening}, *first_turn]
    return [with_instructions, *messages[1:]] if has_turns else list(with_instructions)


def _as_case(case: Case, conversation: Conversation, name: str, memory: Any) -> Case:
    return Case(
        id=f"{conversation.history}/{conversation.id}",
        kind=case.kind,
        messages=with_opening(conversation.messages, memory),
        tools=case.tools,
        reference={"answers": [], "classes": [name]},
    )


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def _read_checkpoint(file: Path | None) -> Checkpoint | None:
    if file is None or not file.exists():
        return None
    try:
        return decode_record(read_regular_file(file), Checkpoint)
    except (OSError, RecordError) as error:
        raise RunFolderError(f"{file}: not a saved memory: {error}") from error


def _write_checkpoint(file: Path | None, checkpoint: Checkpoint) -> None:
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as out:
            out.write(msgspec.json.encode(checkpoint))
