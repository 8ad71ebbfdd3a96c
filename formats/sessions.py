"""Merge the exchanges of a session: an exchange that extends another replaces it.

Each request of a chat repeats the conversation so far, so that the last exchange usually contains all others. Messages are
compared by `message_key`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from .conversation_turns import FAILED, failed, is_agents, turns_of
from .exchanges import Exchange
from .field_reader import FieldReader
from .imported_records import Skipped
from .json_values import is_text_in
from .logged_messages import message_key, says_something
from .tool_documents import all_tools

_MIN_OVERLAP = 2
"""Minimum number of equal messages by which the end of one exchange is found in the next."""

_Key: TypeAlias = tuple[Any, ...]
"""Role, text, calls and results of a message (`message_key`)."""


class _Piece:
    """An exchange with the conversation before it, as a piece of a session."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.answer = exchange.choices[0] if exchange.choices else []
        self.request_keys = _keys(exchange.messages)
        self.keys = self.request_keys + _keys(self.answer)

    @property
    def messages(self) -> list[FieldReader]:
        error = [failed(self.exchange.error or "error")] if self.exchange.has_failed else []
        return [*self.exchange.messages, *self.answer, *error]

    @property
    def has_history(self) -> bool:
        """True if the request repeats an answer of an earlier exchange."""
        return any(is_agents(message) for message in self.exchange.messages)

    def extends(self, other: _Piece) -> bool:
        return _begins_with(self.request_keys, other.keys)

    def is_within(self, other: _Piece) -> bool:
        """Return whether this piece is a prefix of `other`, or the same."""
        if len(self.keys) < len(other.keys) or self.exchange.has_failed:
            return _begins_with(other.keys, self.keys)
        # Equal exchanges without history may be one question that was asked twice.
        has_same_id = self.exchange.id != "" and self.exchange.id == other.exchange.id
        return (self.has_history or has_same_id) and self.keys == other.keys

    def is_abandoned_by(self, other: _Piece) -> bool:
        """Return whether `other` continues the conversation after a different answer."""
        is_longer = len(self.request_keys) < len(other.request_keys)
        has_turns = len(turns_of(other.exchange.messages)) > 1
        return has_turns and is_longer and _begins_with(other.keys, self.request_keys)


def conversations_of(
    exchanges: Sequence[Exchange], *, one_system: bool = False
) -> tuple[list[Exchange], list[Skipped]]:
    """Return a session as merged exchanges, and a skipped entry for each exchange left out.

    Args:
        exchanges: The exchanges of the session, in the order of the log.
        one_system: Whether all models belong to one system.

    Returns:
        One exchange with all messages before its answer; one per model if several answered the same messages.
    """
    ordered = list(exchanges)
    if all(exchange.time is not None for exchange in ordered):
        ordered.sort(key=lambda exchange: exchange.time or 0.0)
    models = list(dict.fromkeys(exchange.model for exchange in ordered if exchange.model is not None))
    if len(models) > 1 and not one_system:
        by_model = [
            _merge([exchange for exchange in ordered if exchange.model in {model, None}]) for model in models
        ]
        request_keys = [_request_keys(merged_exchange) for merged_exchange, _ in by_model]
        if all(key == request_keys[0] for key in request_keys):
            return [merged_exchange for merged_exchange, _ in by_model], [
                entry for _, skipped in by_model for entry in skipped
            ]
    merged_exchange, skipped = _merge(ordered)
    return [merged_exchange], skipped


def _merge(exchanges: Sequence[Exchange]) -> tuple[Exchange, list[Skipped]]:
    pieces, skipped = _pieces(exchanges)
    abandoned = [piece for piece in pieces if any(piece.is_abandoned_by(other) for other in pieces)]
    for piece in abandoned:
        pieces.remove(piece)
        skipped.append(_skipped_piece(piece, "another answer, which the session does not continue"))
    messages: list[FieldReader] = []
    for piece in pieces:
        messages = _append(messages, piece.messages)
    last_piece = pieces[-1]
    answer_start = len(messages) - len(last_piece.answer) - last_piece.exchange.has_failed
    first_exchange = exchanges[0]
    tags: dict[str, Any] = {}
    for exchange in reversed(exchanges):
        tags |= exchange.tags
    merged_exchange = msgspec.structs.replace(
        last_piece.exchange,
        position=first_exchange.position,
        number=first_exchange.number,
        messages=messages[:answer_start],
        model=_model(exchanges),
        answered=any(exchange.answered for exchange in exchanges),
        cluster=next((exchange.cluster for exchange in exchanges if exchange.cluster is not None), None),
        tools=all_tools(exchange.tools for exchange in exchanges),
        tags=tags,
        expected_calls=next(
            (exchange.expected_calls for exchange in exchanges if exchange.expected_calls is not None), None
        ),
        accepted=next((exchange.accepted for exchange in exchanges if exchange.accepted is not None), None),
        context=next((exchange.context for exchange in exchanges if exchange.context), list[Any]()),
        criterion=next(
            (exchange.criterion for exchange in exchanges if exchange.criterion is not None), None
        ),
    )
    return merged_exchange, skipped


def _model(exchanges: Sequence[Exchange]) -> str | None:
    """Return the model of the last answer; if there is none, the first that was asked."""
    answering = [
        exchange.model for exchange in exchanges if exchange.model is not None and not exchange.has_failed
    ]
    return (
        answering[-1]
        if answering
        else next((exchange.model for exchange in exchanges if exchange.model), None)
    )


def _pieces(exchanges: Sequence[Exchange]) -> tuple[list[_Piece], list[Skipped]]:
    """Return the exchanges that no other extends, and entries for those that add nothing."""
    pieces: list[_Piece] = []
    skipped: list[Skipped] = []
    for exchange in exchanges:
        piece = _Piece(exchange)
        containers = (other for other in pieces if piece.is_within(other) and not piece.extends(other))
        # A failure without a request does not show which question it belongs to.
        container = next(containers, None) if piece.request_keys else None
        if container is not None:
            skipped += _entries_for_repeat(piece, container)
            continue
        extended = [other for other in pieces if piece.request_keys and piece.extends(other)]
        for other in extended:
            skipped += _entries_for_repeat(other, piece)
        index = pieces.index(extended[0]) if extended else len(pieces)
        pieces = [other for other in pieces if other not in extended]
        pieces.insert(index, piece)
    return pieces, skipped


def _entries_for_repeat(piece: _Piece, other: _Piece) -> Iterator[Skipped]:
    """Yield a skipped entry for a failure that was retried, or a line that adds nothing."""
    if piece.exchange.has_failed:
        yield _skipped_piece(piece, f"the call failed ({piece.exchange.error}) and the session went on")
    elif piece.keys == other.keys or not any(map(says_something, piece.answer)):
        yield _skipped_piece(piece, "the session has this exchange already")


def _skipped_piece(piece: _Piece, reason: str) -> Skipped:
    return piece.exchange.position.skipped_part("messages", reason)


def _append(messages: list[FieldReader], more: list[FieldReader]) -> list[FieldReader]:
    """Append messages, without those that repeat the end or a system message.

    A request repeats the conversation before it, with its calls and results or only the texts. Repeats are dropped.
    """
    if not messages:
        return more
    systems = {message_key(message) for message in messages if _is_system(message)}
    new = [reader for reader in more if not _is_system(reader) or message_key(reader) not in systems]
    before, after = _indexed_keys(messages), _indexed_keys(new)
    for old_keys, new_keys in ((before, after), (_text_keys(before), _text_keys(after))):
        overlap = _overlap([key for _, key in old_keys], [key for _, key in new_keys])
        if overlap:
            return messages + new[new_keys[overlap - 1][0] + 1 :]
    return messages + new


def _overlap(old: list[_Key], new: list[_Key]) -> int:
    """Return how many last messages the new ones repeat; only repeats with an answer count."""
    for size in range(min(len(old), len(new)), _MIN_OVERLAP - 1, -1):
        if old[-size:] == new[:size] and any(key[0] == "assistant" for key in new[:size]):
            return size
    return 0


def _indexed_keys(messages: Sequence[FieldReader]) -> list[tuple[int, _Key]]:
    """Return the index and key of each message, without system messages and empty ones."""
    return [(index, key) for index, message in enumerate(messages) for key in _keys([message])]


def _text_keys(indexed_keys: Sequence[tuple[int, _Key]]) -> list[tuple[int, _Key]]:
    """Return the index, role and text of messages, without calls and results.

    Of an agent's successive texts only the last counts: it is the answer, which applications keep.
    """
    texts: list[tuple[int, _Key]] = []
    for index, (role, text, *_) in indexed_keys:
        if role == "tool" or not text:
            continue
        if role == "assistant" and texts and texts[-1][1][0] == role:
            texts.pop()
        texts.append((index, (role, text)))
    return texts


def _keys(messages: Sequence[FieldReader]) -> list[_Key]:
    spoken = (message for message in messages if FAILED not in message and not _is_system(message))
    return [message_key(reader) for reader in spoken if not is_agents(reader) or says_something(reader)]


def _is_system(message: FieldReader) -> bool:
    return is_text_in(message.value.get("role"), {"system", "developer"})


def _begins_with(longer: list[Any], shorter: list[Any]) -> bool:
    return longer[: len(shorter)] == shorter


def _request_keys(exchange: Exchange) -> list[_Key]:
    return _keys([message for message in exchange.messages if not is_agents(message)])
