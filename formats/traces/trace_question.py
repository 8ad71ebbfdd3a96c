"""Question of a trace: the models' request, in the words that the user gave to a run.

Agents frame the user's words in requests of their own. Where the request contains the words that a run was given, these count.
"""

from __future__ import annotations

from ...records import Message
from ..calls import question_of, text_of
from ..field_reader import FieldReader
from ..json_values import parsed
from .model_calls import request_messages
from .spans import Span


def question_of_spans(root: Span, spans: list[Span], asked_of_model: list[Message]) -> list[Message]:
    """Return the question of a trace, behind the instructions of its outermost agent.

    Args:
        root: The root of the trace.
        spans: The spans of the conversation.
        asked_of_model: The first request to a model; empty if no model was asked.
    """
    return _instructed(root, spans, _question(root, spans, asked_of_model))


def has_more_than_instructions(messages: list[Message]) -> bool:
    """Return whether messages are more than instructions."""
    return any(message.get("role") != "system" for message in messages)


def _question(root: Span, spans: list[Span], asked_of_model: list[Message]) -> list[Message]:
    """Return the question asked of a model, in the words that the user gave to a run."""
    runs = [span for span in (root, *spans) if span is root or span.kind == "agent"]
    inputs = [] if root.kind == "llm" else [span.messages or request_messages(span.input) for span in runs]
    requests = [asked_of_model, *(span.messages for span in spans if span.kind == "llm")]
    for number, words in enumerate(map(_last_user_text, inputs)):
        # Only the root's words are searched for in all requests: agents below it ask others in turn.
        searched = requests[: 1 if number else None]
        reworded = (_with_words(request, words) for request in searched)
        question = next((messages for messages in reworded if messages is not None), None)
        if question is not None:
            return question
    if asked_of_model:
        return asked_of_model
    others = [span for span in (root, *spans) if span.kind not in {"tool", "retriever"}]
    candidates = (*inputs, *(span.messages for span in others))
    recorded = next(filter(has_more_than_instructions, candidates), None)
    from_inputs = (question_of(parsed(span.input)) for span in others)
    return recorded or next(filter(None, from_inputs), list[Message]())


def _instructed(root: Span, spans: list[Span], question: list[Message]) -> list[Message]:
    """Return a question behind the outermost agent's instructions, unless it has its own."""
    agent = root if root.kind != "other" else next((span for span in spans if span.kind == "agent"), root)
    has_system = not question or any(message.get("role") == "system" for message in question)
    return question if has_system else agent.instructions + question


def _last_user_text(messages: list[Message]) -> str | None:
    texts = [text_of(FieldReader(message)) for message in messages if message.get("role") == "user"]
    return next((text for text in reversed(texts) if text and text.strip()), None)


def _with_words(messages: list[Message], words: str | None) -> list[Message] | None:
    """Return messages that end with the user's own words, or None if they do not contain these."""
    last = next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)
    if last is None or words is None:
        return None
    text = text_of(FieldReader(messages[last])) or ""
    if words.strip() not in text:
        return None
    reworded = messages[last] if text.strip() == words.strip() else {**messages[last], "content": words}
    later = [message for message in messages[last + 1 :] if message.get("role") not in {"assistant", "tool"}]
    return [*messages[:last], reworded, *later]
