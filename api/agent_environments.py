"""Make the environments of agents (worlds, a memory, a web) from callers' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..deterministic.options import Rules
from ..evaluation.generation.answer_worlds import AnswerWorlds
from ..evaluation.generation.memory.embedding import Embedding, ServerEmbedding
from ..evaluation.generation.memory.histories import Conversation, Remembered, read_histories
from ..evaluation.generation.scene import FirstOf, Scenes, SimulatedWorlds
from ..evaluation.generation.web.web_search import search_engine
from ..formats.bfcl import DataSource, open_source, read_conversations
from ..judges.transport.endpoint import Endpoint
from ..records import write_records
from .checking import Worlds, worlds_of
from .paths import FilePath, input_path, written_path

Histories = Mapping[str, Sequence[Conversation]]
"""Earlier conversations of an agent with a memory, by the name of their history."""


def scenes_of(
    worlds: Worlds = None,
    *,
    histories: FilePath | Histories | None = None,
    memories: Path | None = None,
    search: str | None = None,
    embedding: Embedding | None = None,
    rules: Rules = "strict",
) -> Scenes:
    """Return the environments in which agents work on cases.

    Args:
        worlds: Custom simulated worlds; by default the registered ones.
        histories: Earlier conversations of agents with a memory.
        memories: Folder for the memories after each conversation; None keeps them in this process.
        search: A corpus (JSON Lines or a folder), or the address of a search service.
        embedding: Model that embeds texts for the vector memory, or None for hashed words.
        rules: Under ``bfcl`` an unreadable call ends a turn.
    """
    environments = worlds_of(worlds)
    memory = Remembered(_conversations(histories), memories)
    engine = None if search is None else search_engine(search)
    answers = AnswerWorlds(environments, memory, engine, embedding, rules)
    return FirstOf(SimulatedWorlds(environments, rules), answers)


def _conversations(histories: FilePath | Histories | None) -> Histories:
    if histories is None or isinstance(histories, Mapping):
        return histories or {}
    return read_histories(input_path(histories))


def server_embedding(model: str | None, endpoint: Endpoint | None) -> Embedding | None:
    """Return the embedding model at the endpoint, or None if either is missing."""
    return None if model is None or endpoint is None else ServerEmbedding(endpoint, model)


def bfcl_histories(source: DataSource) -> dict[str, list[Conversation]]:
    """Return BFCL's conversations before memory questions, by scenario."""
    histories: dict[str, list[Conversation]] = {}
    for scenario, name, turns in read_conversations(source):
        histories.setdefault(scenario, []).append(Conversation(history=scenario, id=name, messages=[*turns]))
    return histories


def write_histories(data: FilePath, out: FilePath) -> int:
    """Write a file of histories, and return their number."""
    histories = bfcl_histories(open_source(input_path(data)))
    return write_records(
        written_path(out), [conversation for history in histories.values() for conversation in history]
    )
