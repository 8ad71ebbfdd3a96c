"""Merge the exchanges of one session: one that extends another replaces it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from .conversation_turns import FAILED, failed, is_agents, turns_of
from .exchanges import Exchange
from .field_reader import FieldReader
from .imported_records import Skipped
from .json_values import is_object
from .logged_messages import message_key, says_something

_LEAST_OVERLAP = 2


class _Piece:
    """A piece of a session: an exchange with the conversation before it."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.done = exchange.choices[0] if exchange.choices else []
        self.request = _keys(exchange.messages)
        self.all = self.request + _keys(self.done)

    @property
    def nodes(self) -> list[FieldReader]:
        """Its messages; for a failure, with one at the end that says so."""
        error = [failed(self.exchange.error or "error")] if self.exchange.has_failed else []
        return [*self.exchange.messages, *self.done, *error]

    @property
    def has_history(self) -> bool:
        """Return whether the piece holds an answer from an earlier exchange."""
        return any(is_agents(each) for each in self.exchange.messages)

    def extends(self, other: _Piece) -> bool:
        """Return whether the piece begins with the whole of another."""
        return _begins(self.request, other.all)

    def is_within(self, other: _Piece) -> bool:
        """Return whether another piece begins with the whole of this one."""
        if len(self.all) < len(other.all) or self.exchange.has_failed:
            return _begins(other.all, self.all)
        again = self.has_history or (self.exchange.id != "" and self.exchange.id == other.exchange.id)
        return again and self.all == other.all

    def is_left_by(self, other: _Piece) -> bool:
        """Return whether another piece continues the same question with another answer."""
        goes_on = len(turns_of(other.exchange.messages)) > 1
        return goes_on and len(self.request) < len(other.request) and _begins(other.all, self.request)


def conversations_of(
    exchanges: Sequence[Exchange], *, one_system: bool = False
) -> tuple[list[Exchange], list[Skipped]]:
    """Merge a session, and list what is not part of it.

    Args:
        exchanges: The exchanges of the session, in the order of the log.
        one_system: Whether all models belong to one system.

    Returns:
        One exchange with all messages before its answer; one per model if several answered the same messages.
    """
    ordered = list(exchanges)
    if all(each.time is not None for each in ordered):
        ordered.sort(key=lambda each: each.time or 0.0)
    models = list(dict.fromkeys(each.model for each in ordered if each.model is not None))
    if len(models) > 1 and not one_system:
        apart = [_joined([each for each in ordered if each.model in {model, None}]) for model in models]
        request_keys = [_request_keys(whole) for whole, _ in apart]
        if all(each == request_keys[0] for each in request_keys):
            return [whole for whole, _ in apart], [each for _, listed in apart for each in listed]
    whole, listed = _joined(ordered)
    return [whole], listed


def _joined(exchanges: Sequence[Exchange]) -> tuple[Exchange, list[Skipped]]:
    pieces, listed = _pieces(exchanges)
    abandoned = [piece for piece in pieces if any(piece.is_left_by(other) for other in pieces)]
    for piece in abandoned:
        pieces.remove(piece)
        listed.append(_listed(piece, "another answer, which the session does not continue"))
    nodes: list[FieldReader] = []
    for piece in pieces:
        nodes = _appended(nodes, piece.nodes)
    last = pieces[-1].exchange
    end = len(nodes) - len(pieces[-1].done) - last.has_failed
    first = exchanges[0]
    answered = [
        exchange.model for exchange in exchanges if exchange.model is not None and not exchange.has_failed
    ]
    tags: dict[str, Any] = {}
    for exchange in reversed(exchanges):
        tags |= exchange.tags
    whole = msgspec.structs.replace(
        last,
        position=first.position,
        number=first.number,
        messages=nodes[:end],
        model=next(reversed(answered), None)
        or next((exchange.model for exchange in exchanges if exchange.model), None),
        answered=any(exchange.answered for exchange in exchanges),
        cluster=next((exchange.cluster for exchange in exchanges if exchange.cluster is not None), None),
        tools=_tools(exchanges),
        tags=tags,
        expected_calls=next((x.expected_calls for x in exchanges if x.expected_calls is not None), None),
        accepted=next((x.accepted for x in exchanges if x.accepted is not None), None),
        context=next((x.context for x in exchanges if x.context), list[Any]()),
        criterion=next((x.criterion for x in exchanges if x.criterion is not None), None),
    )
    return whole, listed


def _pieces(exchanges: Sequence[Exchange]) -> tuple[list[_Piece], list[Skipped]]:
    pieces: list[_Piece] = []
    listed: list[Skipped] = []
    for exchange in exchanges:
        piece = _Piece(exchange)
        held = (other for other in pieces if piece.is_within(other) and not piece.extends(other))
        holder = next(held, None) if piece.request else None  # a failure alone does not show the question
        if holder is not None:
            listed += _repeated(piece, holder)
            continue
        before = [other for other in pieces if piece.request and piece.extends(other)]
        for other in before:
            listed += _repeated(other, piece)
        index = pieces.index(before[0]) if before else len(pieces)
        pieces = [other for other in pieces if other not in before]
        pieces.insert(index, piece)
    return pieces, listed


def _repeated(piece: _Piece, other: _Piece) -> Iterator[Skipped]:
    """List a failure that was retried, and a line that adds nothing."""
    if piece.exchange.has_failed:
        yield _listed(piece, f"the call failed ({piece.exchange.error}) and the session went on")
    elif piece.all == other.all or not any(map(says_something, piece.done)):
        yield _listed(piece, "the session has this exchange already")


def _listed(piece: _Piece, reason: str) -> Skipped:
    return piece.exchange.position.skipped_part("messages", reason)


def _appended(nodes: list[FieldReader], more: list[FieldReader]) -> list[FieldReader]:
    """Append messages, without repeats of the end and of system messages.

    Repeats are dropped from the beginning of the new messages, even if the history holds only texts.
    """
    if not nodes:
        return more
    systems = {message_key(each) for each in nodes if _is_system(each)}
    new = [each for each in more if not _is_system(each) or message_key(each) not in systems]
    before, after = _placed_keys(nodes), _placed_keys(new)
    for had, come in ((before, after), (_texts(before), _texts(after))):
        keys = [key for _, key in come]
        end = [key for _, key in had]
        for size in range(min(len(end), len(keys)), _LEAST_OVERLAP - 1, -1):
            if end[-size:] == keys[:size] and any(key[0] == "assistant" for key in keys[:size]):
                return nodes + new[come[size - 1][0] + 1 :]
    return nodes + new


def _placed_keys(nodes: Sequence[FieldReader]) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the place and key of each message, without system messages and empty ones."""
    return [(at, key) for at, node in enumerate(nodes) for key in _keys([node])]


def _texts(placed: Sequence[tuple[int, tuple[Any, ...]]]) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the place, role and text of messages, without calls and results.

    Of successive texts of an agent only the last counts: it is the answer, which applications keep.
    """
    said: list[tuple[int, tuple[Any, ...]]] = []
    for at, (role, text, *_) in placed:
        if role == "tool" or not text:
            continue
        if role == "assistant" and said and said[-1][1][0] == role:
            said.pop()
        said.append((at, (role, text)))
    return said


def _keys(nodes: Sequence[FieldReader]) -> list[tuple[Any, ...]]:
    """Return a key for each message, without system messages and empty ones."""
    spoken = (each for each in nodes if FAILED not in each and not _is_system(each))
    return [message_key(each) for each in spoken if not is_agents(each) or says_something(each)]


def _is_system(message: FieldReader) -> bool:
    return message.value.get("role") in {"system", "developer"}


def _begins(longer: list[Any], shorter: list[Any]) -> bool:
    return longer[: len(shorter)] == shorter


def _request_keys(exchange: Exchange) -> list[tuple[Any, ...]]:
    return _keys([each for each in exchange.messages if not is_agents(each)])


def _tools(exchanges: Sequence[Exchange]) -> list[dict[str, Any]]:
    """Return all tools offered in a session, by name."""
    by_name: dict[str, dict[str, Any]] = {}
    for exchange in exchanges:
        for tool in exchange.tools:
            function = tool.get("function", tool)
            by_name.setdefault(
                str(function["name"] if is_object(function) and "name" in function else tool), tool
            )
    return list(by_name.values())
