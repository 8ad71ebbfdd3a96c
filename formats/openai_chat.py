"""OpenAI's chats, stored completions, batches, responses, and hosted Evals rows.

A line is a chat ``{"id", "model", "messages", "tools", "response": {"choices"}}``, with at least ``messages``; a completion with ``messages``
and ``choices``; a response with ``input`` and ``output``; or any of these in a wrapper.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from ..records import TagValue
from ..records.case import LOG_TAGS
from ..tables.json_rows import decode
from .batch_lines import is_reply, missing_request
from .calls import AgentAnswer, answer_of, are_messages, role_of
from .conversation_turns import asked_message, failed, is_agents, turns_of
from .example import Example, answers_of
from .example_records import records_of
from .exchanges import Exchange, exchange_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord, converted
from .json_values import is_list, is_object, is_text_in
from .langchain_messages import plain_message
from .logged_grades import add_grades
from .logged_messages import conversation_messages, is_conversation, item_messages, message_key
from .logged_request import with_messages
from .openai_evals import evals_example, is_evals_row
from .sessions import conversations_of
from .tool_documents import all_tools

NAME = "openai"
ABOUT = "[chat logs](#logs-of-chats), stored completions, batches (both files), responses, exports and data of hosted Evals (JSON, JSON Lines)"
LOST = "usage, log-probabilities, decoding parameters; non-text content except in the question; calls of tools that the provider runs (web search, files, code)"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a chat, a completion, or a row of Evals."""
    if is_list(glimpse):
        return is_conversation(glimpse)
    if not is_object(glimpse):
        return False
    body = glimpse.get("body", with_messages(glimpse))
    is_chat = is_object(body) and isinstance(body.get("messages"), list)
    is_api_object = is_text_in(
        glimpse.get("object"), {"chat.completion", "response", "eval.run.output_item", "list"}
    )
    return is_chat or is_api_object or is_evals_row(glimpse) or is_reply(glimpse)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read chats, one per line; see `Format`.

    Lines that need others are kept in `Options.deferred`, which `deferred_records` reads afterwards.
    """
    yield from convert_rows(
        read_rows(path, _listed_rows, is_row=recognises), lambda row: _records(row, options)
    )


def _listed_rows(document: FieldReader) -> list[tuple[str, Any]] | None:
    """Return the rows of an API response that lists them."""
    return document.items("data") if is_list(document.get("data")) and "messages" not in document else None


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    if is_object(row.value) and is_evals_row(row.value):
        yield from records_of(evals_example(row), row.position, options)
    elif not options.deferred.batches.holds(row):
        exchange, row_read = _exchange(row, options)
        if is_object(row.value):
            options.recognized.note_unread(
                row.value,
                row.position.path,
                _case_id(exchange, options),
                in_session=exchange.session is not None,
            )
            yield from add_grades(exchange, row, options)
        yield from exchange_records(exchange, row_read, options)


def _case_id(exchange: Exchange, options: Options) -> str:
    """Return the id of an exchange's case, or "" if the log has none or each turn is a case."""
    if options.unit == "last" or exchange.session is None:
        return exchange.id
    return "" if options.unit == "turn" else exchange.session


def _exchange(row: FileRow, options: Options) -> tuple[Exchange, FileRow]:
    """Return the exchange in a line, and the line with its messages."""
    if is_reply(row.value):
        raise missing_request(row)
    row = msgspec.structs.replace(row, value=with_messages(row.value))
    exchange = exchange_of(row)
    options.recognized.cut_off += exchange.cut_off
    return exchange, row


def exchange_records(exchange: Exchange, row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    """Yield the records of an exchange, or defer it if it belongs to a session."""
    if exchange.session is None or options.unit == "last":
        yield from _chat_records(exchange, exchange.id, options)
        return
    for message in [*exchange.messages, *chain.from_iterable(exchange.choices)]:
        message_key(message)  # refuses an unreadable line here, where its number is known
    line = json.dumps(row.value).encode()
    options.deferred.sessions.setdefault(exchange.session, []).append(
        (line, row.position, row.at, row.number)
    )


def deferred_records(options: Options) -> Iterator[ImportedRecord]:
    """Yield the deferred records: of batches, then of merged sessions, then of failed calls."""
    deferred = options.deferred
    rows = deferred.batches.rows()
    yield from convert_rows(rows, lambda row: exchange_records(*_exchange(row, options), options))
    sessions = iter(deferred.sessions.items())
    yield from converted(
        sessions,
        lambda entry: _session_records(entry[0], _exchanges(entry[1]), options),
        lambda entry: entry[1][0][1],
    )
    deferred.sessions = {}
    yield from converted(
        deferred.failures,
        lambda failure: _failure_records(failure[0], failure[1], options),
        lambda failure: failure[1],
    )
    deferred.failures = []


def _exchanges(lines: list[tuple[bytes, Any, str, int]]) -> list[Exchange]:
    return [exchange_of(FileRow(decode(line), position, at, number)) for line, position, at, number in lines]


def _session_records(name: str, exchanges: list[Exchange], options: Options) -> Iterator[ImportedRecord]:
    merged, skipped = conversations_of(exchanges, one_system=options.joined is not None)
    yield from skipped
    call_flags = [makes_calls for exchange in merged if (makes_calls := _makes_calls(exchange)) is not None]
    # Without an answer to tell, calls are assumed if there are tools.
    calls_made = all(call_flags) if call_flags else bool(merged[0].tools)
    if call_flags and len(merged) == 1:
        calls_made = None  # the calls of each turn decide
    tools = all_tools(exchange.tools for exchange in merged)
    for exchange in merged:
        exchange.tools = tools
        yield from _chat_records(exchange, name, options, calls_made=calls_made)


def _makes_calls(exchange: Exchange) -> bool | None:
    answer_messages = [reader for choice in exchange.choices for reader in choice]
    answer = answer_of(message for message in [*exchange.messages, *answer_messages] if is_agents(message))
    return None if answer.is_empty else bool(answer.calls)


def _failure_records(example: Example, position: Any, options: Options) -> Iterator[ImportedRecord]:
    # A failed call may not name its model; if all other calls have one model, it is that.
    (only_system,) = options.deferred.systems if len(options.deferred.systems) == 1 else (None,)
    example.system = example.system or only_system
    if example.calls_made is None and not (example.answer and example.answer.calls):
        example.calls_made = bool(example.tools) and not (example.answer and example.answer.text)
    system = options.joined or example.system or options.system
    if example.id and options.seen.outputs.has_any(example.id, system):
        failure = "the answer is empty" if example.error is None else f"the call failed ({example.error})"
        yield position.skipped_part("error", f"{failure}, and another line has this call's output")
    else:
        yield from records_of(example, position, options)


def _chat_records(
    exchange: Exchange, name: str, options: Options, *, calls_made: bool | None = None
) -> Iterator[ImportedRecord]:
    if len(exchange.choices) > 1:
        name = name or options.seen.new_id("chat", exchange.position.path, exchange.number)
    if exchange.model is not None:
        options.deferred.systems.add(exchange.model)
    for trial, choice in enumerate(exchange.choices or [None]):
        example = _example(exchange, choice, options)
        example.id, example.trial, example.calls_made = name, trial + (exchange.trial or 0), calls_made
        example.is_trial = exchange.trial is not None
        if trial == 0:
            example.scores = exchange.scores
        is_empty = example.answer is not None and example.answer.is_empty
        if (example.error is not None or is_empty) and exchange.session is None and options.unit != "last":
            options.deferred.failures.append((example, exchange.position))
        else:
            yield from records_of(example, exchange.position, options)


def _example(exchange: Exchange, choice: list[FieldReader] | None, options: Options) -> Example:
    tags: dict[str, TagValue] = dict(zip(LOG_TAGS, (NAME, bool(exchange.tools)), strict=True))
    example = Example(
        prefix="chat",
        number=exchange.number,
        tools=exchange.tools,
        tags=tags,
        cluster=exchange.cluster,
        error=exchange.error,
        system=exchange.model,
        expected_calls=exchange.expected_calls,
        accepted=answers_of(exchange.accepted),
        criterion=exchange.criterion,
        context=exchange.context,
    )
    error_messages = [failed(exchange.error or "error")] if exchange.has_failed else []
    turns = turns_of([*exchange.messages, *(choice or []), *error_messages])
    if options.unit != "last" and (len(turns) > 1 or (exchange.session and options.unit == "turn")):
        example.conversation = turns
    else:
        question, example.answer = _question_and_answer(exchange, choice)
        example.messages = [asked_message(reader) for reader in question]
        if example.answer is None and example.error is None and exchange.model is not None:
            # A tag only without an answer: with one, the model is the output's system, and two may answer a case.
            tags["model"] = exchange.model
    example.tags = tags | exchange.tags
    return example


def _question_and_answer(
    exchange: Exchange, choice: list[FieldReader] | None
) -> tuple[list[FieldReader], AgentAnswer | None]:
    """Return the question and its answer, which may begin in the request."""
    messages = exchange.messages
    question_end = len(messages)
    while question_end and is_agents(messages[question_end - 1]):
        question_end -= 1
    # The messages may end with the answer, or with results of calls after which it continues. A text before another
    # answer is not part of that answer.
    has_answer = question_end < len(messages) and (choice is None or role_of(messages[-1]) != "assistant")
    question, beginning = (messages[:question_end], messages[question_end:]) if has_answer else (messages, [])
    if choice is not None or beginning:
        return question, answer_of([*beginning, *(choice or [])])
    return question, AgentAnswer() if exchange.answered else None


def reply_messages(reply: dict[str, Any]) -> list[FieldReader] | None:
    """Return the messages of an answer, or None if its format is unknown.

    Known formats: a conversation, one message, a chat completion or a response.
    """
    messages: Any = reply.get("messages")
    if are_messages(messages) or is_conversation(messages):
        return conversation_messages(messages, "messages")
    if reply.get("choices"):
        return [choice.node("message") for choice in FieldReader(reply).nodes("choices")[:1]]
    output: Any = reply.get("output")
    has_output_items = is_list(output) and bool(output) and all(map(is_object, output))
    if reply.get("object") == "response" or has_output_items:
        return item_messages(FieldReader(reply).nodes("output"))
    message = FieldReader(plain_message(reply))
    is_message = message.value is not reply or "role" in reply
    return [message] if is_message and role_of(message) == "assistant" else None
