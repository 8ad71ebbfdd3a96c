"""Conversation of a trace: its models' requests and replies, with the results of its tools.

Each request to a model repeats the conversation so far. `_Transcript` adds what is new in each: results of calls, texts and
calls. Without any recorded reply the root's output is the answer, and tools' spans are the calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ...records import Message, Step
from ..calls import (
    AgentAnswer,
    IdentifiedCall,
    answer_of,
    answer_of_steps,
    are_messages,
    calls_of,
    results_of,
    role_of,
    split_question,
    text_of,
)
from ..conversation_turns import ConversationTurn
from ..field_reader import FieldReader
from ..json_values import answer_text, as_text, is_object, parsed
from ..logged_messages import conversation_messages, is_conversation, message_key
from .conventions import CREW_TASKS, CREW_TEXT, FRAMEWORKS_WORDS
from .recorded_content import not_recorded
from .spans import Span
from .tool_results import MadeCalls, final_answer_in, inside_tools, join
from .trace_question import has_more_than_instructions, question_of_spans


class TraceConversation(NamedTuple):
    """Question and answer of a trace.

    Attributes:
        question: The messages before the answer.
        answer: The answer, or None if it was not recorded.
        unrecorded: Why the answer is missing, if content was not recorded.
        turns: The turns, if the user spoke more than once.
        unasked: Spans of tools that no model asked for, which are no calls.
        inside: Spans inside a tool's span, by id, each with the span of that tool.
    """

    question: list[Message]
    answer: AgentAnswer | None
    unrecorded: str | None = None
    turns: list[ConversationTurn] = []
    unasked: list[Span] = []
    inside: dict[str, Span] = {}


def conversation_of_spans(root: Span, spans: list[Span]) -> TraceConversation:
    """Return the conversation of a trace, by its root and the spans below it."""
    inside = inside_tools(root, spans)
    spans = [span for span in spans if span.id not in inside]
    models = _models(spans)
    transcript = _Transcript(models, _runs(root, spans))
    for model in models:
        transcript.add(model)
    has_replies = any(span.output_messages or _output_text(span) for span in models)
    tools = [span for span in spans if span.call is not None]
    has_arguments = all(span.has_arguments for span in models)
    unasked = join(tools, transcript.made_calls) if has_replies else []
    if not has_replies:
        transcript.take_calls(tools)
        has_arguments = has_arguments and all(span.has_arguments for span in tools)
    question = question_of_spans(root, spans, transcript.question)
    switch = next((span.switch for span in [*models, root, *spans] if span.switch), None)
    missing_content = None if has_arguments else "the arguments of a call were"
    if not _has_answer(root, models, tools):
        missing_content = "the answer was"
    if missing_content is not None:
        return TraceConversation(question, None, not_recorded(missing_content, switch), [], unasked, inside)
    if not has_replies:
        return _conversation_of_root(root, question, transcript)
    transcript.end(_answer_text_of(root))
    answer = answer_of_steps(transcript.steps())
    return TraceConversation(question, answer, None, transcript.turns(question), unasked, inside)


def _runs(root: Span, spans: list[Span]) -> dict[str, str]:
    """Return the id of the run that each span is part of: a span directly below the root.

    A model's span directly below the root belongs to the root's run, but is a run of its own if the root is no agent.
    """
    by_id = {span.id: span for span in spans}
    runs = dict[str, str]()
    for span in spans:
        top, visited = span, set[str]()
        while top.parent in by_id and top.parent != root.id and top.id not in visited:
            visited.add(top.id)
            top = by_id[top.parent]
        is_run_of_its_own = root.kind == "other" or (root.kind == "llm" and top.parent is None)
        runs[span.id] = root.id if top.kind == "llm" and not is_run_of_its_own else top.id
    return runs


def _models(spans: list[Span]) -> list[Span]:
    """Return the models' spans, with one span of a call that two instrumentations recorded."""
    by_id = {span.id: span for span in spans}

    def is_inside(span: Span, outer_ids: set[str]) -> bool:
        parent_id, visited = span.parent, {span.id}
        while parent_id is not None and parent_id in by_id and parent_id not in visited:
            if parent_id in outer_ids:
                return True
            visited.add(parent_id)
            parent_id = by_id[parent_id].parent
        return False

    models = [span for span in spans if span.kind == "llm"]
    if any(span.has_messages for span in models):
        # Helpers of a model's client are recorded like models, but without messages.
        models = [span for span in models if span.has_messages or span.output is None]
    ended_ids = {span.id for span in models if span.output_messages or span.error is not None}
    outermost = [span for span in models if not is_inside(span, ended_ids)]
    # A span without an outcome only wraps the spans inside it that have one.
    wrapper_ids = {
        span.id
        for span in outermost
        if span.id not in ended_ids
        and any(is_inside(other, {span.id}) for other in outermost if other is not span)
    }
    return [span for span in outermost if span.id not in wrapper_ids]


def _output_text(span: Span) -> str | None:
    return None if span.output is None else answer_text(parsed(span.output))


class _Transcript:
    """Steps of an agent in order, collected from the spans of its models.

    Attributes:
        runs: The run of each span, by id.
        question: The first request, up to the user's last message.
        begun_answer: Messages of the answer that the first request already contains.
        entries: The steps: texts, and calls.
        last_span: The last span that was added.
        later_user_messages: The user's messages before an entry, by the entry's number.
    """

    def __init__(self, models: list[Span], runs: dict[str, str]) -> None:
        self.runs = runs
        self.question, self.begun_answer = _split_begun_answer(
            next(
                (model.messages for model in models if has_more_than_instructions(model.messages)),
                list[Message](),
            )
        )
        self.entries: list[str | MadeCalls] = []
        self.last_span: Span | None = None
        self.later_user_messages: dict[int, list[Message]] = {}

    @property
    def made_calls(self) -> list[MadeCalls]:
        return [entry for entry in self.entries if isinstance(entry, MadeCalls)]

    def add(self, model: Span) -> None:
        """Add the results in a model's request, and the texts and calls in its reply."""
        later_messages = self._after_question(model.messages)
        if self.last_span is None and self.begun_answer and model.messages:
            self._add_messages(self.begun_answer)
        self._recover_replies(later_messages, model)
        self._take_results(later_messages)
        if user_messages := self._next_user_messages(later_messages, model):
            self.later_user_messages[len(self.entries)] = user_messages
        if not model.output_messages and (text := _output_text(model)):
            self.entries.append(text)
        earlier_identities = {
            _identity(call) for step in self.made_calls for call in step.calls if call.id is not None
        }
        for message in model.output_messages:
            text, calls = text_of(message), calls_of(message)
            if calls and all(_identity(call) in earlier_identities for call in calls):
                continue  # the request repeated them already
            final = final_answer_in(calls)
            self.entries += filter(None, (text, final))
            if calls and final is None:
                self.entries.append(MadeCalls(calls))
        self.last_span = model

    def _after_question(self, messages: list[Message]) -> list[FieldReader]:
        """Return a request's messages behind the question, or all if it has another question."""
        nodes = [FieldReader(message) for message in messages]
        question = [message_key(FieldReader(message)) for message in self.question]
        begins_alike = [message_key(node) for node in nodes[: len(question)]] == question
        return nodes[len(question) :] if begins_alike else nodes

    def _recover_replies(self, later_messages: list[FieldReader], model: Span) -> None:
        """Take unrecorded replies from the next request, which repeats them."""
        if self.last_span is None or self.last_span.has_output or len(later_messages) == len(model.messages):
            return
        replies = [reader for reader in later_messages if role_of(reader) == "assistant"]
        recorded_count = sum(
            len(entry.calls) if isinstance(entry, MadeCalls) else 1 for entry in self.entries
        )
        if sum(bool(text_of(reader)) + len(calls_of(reader)) for reader in replies) > recorded_count:
            self.entries = []
            self._add_messages(replies)

    def _add_messages(self, messages: list[FieldReader]) -> None:
        """Add an agent's messages; successive calls without a text are one step."""
        after_calls = False
        for message in messages:
            text, calls = text_of(message), calls_of(message)
            is_from_agent = role_of(message) == "assistant"
            if text and is_from_agent:
                self.entries.append(text)
            if calls and after_calls and not text and isinstance(last := self.entries[-1], MadeCalls):
                last.calls += calls
            elif calls:
                self.entries.append(MadeCalls(calls))
            after_calls = bool(calls)

    def _next_user_messages(self, later_messages: list[FieldReader], model: Span) -> list[Message]:
        """Return what the user said behind the last text, or an empty list.

        An agent's program writes messages of the user, too, but within one run; a user's message begins another run.
        """
        reply_index = next(
            (
                index
                for index in reversed(range(len(later_messages)))
                if role_of(later_messages[index]) == "assistant"
            ),
            None,
        )
        if reply_index is None or self.last_span is None or len(later_messages) == len(model.messages):
            return []
        last = self.entries[-1] if self.entries else None
        if not isinstance(last, str) or (text_of(later_messages[reply_index]) or "").strip() != last.strip():
            return []
        messages = [
            reader
            for reader in later_messages[reply_index + 1 :]
            if role_of(reader) == "user" and not results_of(reader)
        ]
        are_from_user = not any((text_of(reader) or "").startswith(FRAMEWORKS_WORDS) for reader in messages)
        is_other_run = self.runs[model.id] != self.runs[self.last_span.id]
        return [reader.value for reader in messages] if are_from_user and is_other_run else []

    def _take_results(self, later_messages: list[FieldReader]) -> None:
        """Take the results of calls from a request, by id, else in order."""
        used = set[tuple[int, int]]()
        pending, has_results = list[IdentifiedCall](), False
        for message in later_messages:
            if calls := calls_of(message):
                pending = calls if has_results else pending + calls
                has_results = False
            for identity, value in results_of(message):
                has_results = True
                call_index = next((number for number, call in enumerate(pending) if call.id == identity), 0)
                call = pending.pop(call_index) if pending else None
                place = self._place(identity, call, used)
                if place is not None:
                    used.add(place)
                    self.made_calls[place[0]].repeated_results[place[1]] = parsed(value)

    def _place(
        self, identity: str | None, repeated_call: IdentifiedCall | None, used: set[tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Return the step and the number of the call that a result is of, or None if unknown.

        Args:
            identity: The id of the call that the result names.
            repeated_call: The call as the request repeats it.
            used: Places of results that were taken before.
        """
        calls_by_place = {
            (step_number, call_number): call
            for step_number, step in enumerate(self.made_calls)
            for call_number, call in enumerate(step.calls)
        }
        places_with_id = [
            place for place, call in calls_by_place.items() if identity is not None and call.id == identity
        ]
        if places_with_id:
            return next((place for place in places_with_id if place not in used), places_with_id[-1])
        if repeated_call is None:
            return None
        name_and_arguments = _identity(repeated_call)[1:]
        for place, call in calls_by_place.items():
            is_free = place not in used and (call.id is None or identity is None)
            if is_free and _identity(call)[1:] == name_and_arguments:
                return place
        return None

    def take_calls(self, tools: Iterable[Span]) -> None:
        """Take tools' spans as calls, if no reply of a model was recorded."""
        spans = [*tools]
        for span in spans:
            assert span.call is not None
            if any(outer.id == span.parent and outer.call == span.call for outer in spans):
                continue  # the same call, recorded twice
            step = MadeCalls([span.call])
            step.tool_spans[0] = span
            self.entries.append(step)

    def end(self, text: str | None) -> None:
        """Append the root's text if the entries end with calls, or with a text that came after it."""
        texts = [entry.strip() for entry in self.entries if isinstance(entry, str)]
        last = self.entries[-1] if self.entries else None
        if text is None or text == str(None) or (isinstance(last, str) and text.strip() not in texts[:-1]):
            return
        if not isinstance(last, str) or last.strip() != text.strip():
            self.entries.append(text)

    def steps(self) -> list[Step]:
        steps = list[Step]()
        for entry in self.entries:
            steps += [entry] if isinstance(entry, str) else entry.steps()
        return steps

    def turns(self, question: list[Message]) -> list[ConversationTurn]:
        """Return the turns, or an empty list if the user spoke once."""
        turns = [ConversationTurn([FieldReader(message) for message in question], [])]
        for number, entry in enumerate(self.entries):
            if number in self.later_user_messages:
                turns.append(
                    ConversationTurn(
                        [FieldReader(message) for message in self.later_user_messages[number]], []
                    )
                )
            if isinstance(entry, str):
                turns[-1].reply.append(FieldReader({"role": "assistant", "content": entry}))
            else:
                turns[-1].reply.extend(entry.messages())
        return turns if self.later_user_messages else []


def _identity(call: IdentifiedCall) -> tuple[str | None, str, str | None]:
    """Return a call's id, name and arguments: some servers use the same ids in each reply."""
    return call.id, call.call.name, as_text(parsed(call.call.arguments))


def _split_begun_answer(messages: list[Message]) -> tuple[list[Message], list[FieldReader]]:
    """Split a request into question and begun answer, if it ends with results of calls."""
    nodes = [FieldReader(message) for message in messages]
    if not nodes or not results_of(nodes[-1]):
        return messages, []
    question, begun = split_question(nodes)
    return ([reader.value for reader in question], begun) if question else (messages, [])


def _has_answer(root: Span, models: list[Span], tools: list[Span]) -> bool:
    """Return whether the root or the last model has an output, or there are only tools' spans."""
    answering = [span for span in models if span.error is None]
    if root.has_output or not answering:
        return root.has_output or bool(tools)
    return answering[-1].has_output


def _conversation_of_root(root: Span, question: list[Message], transcript: _Transcript) -> TraceConversation:
    """Return the conversation with the root's output as answer, and tools' spans as calls."""
    returned = parsed(root.output)
    state: Any = returned.get("messages") if is_object(returned) else returned
    if not transcript.entries and (is_conversation(state) or are_messages(state)):
        question_nodes, answer_nodes = split_question(conversation_messages(state))
        if answer_nodes:
            messages = question or [dict(reader.value) for reader in question_nodes]
            return TraceConversation(messages, answer_of(answer_nodes))
    text = _root_text(root) if root.error is None else _answer_text_of(root)
    steps = transcript.steps()
    if text is not None and (not steps or steps[-1] != text):
        steps.append(text)
    return TraceConversation(question, answer_of_steps(steps))


def _root_text(root: Span) -> str | None:
    """Return the root's text, or None for a model's span, whose reply is a step already."""
    if root.kind == "llm":
        return None
    if root.output_messages:
        return answer_of(root.output_messages).text
    returned = parsed(root.output)
    state: Any = returned.get("messages") if is_object(returned) else returned
    if is_conversation(state) or are_messages(state):
        return answer_of(conversation_messages(state)).text
    if is_object(returned) and "role" in returned:
        return answer_of([FieldReader(returned)]).text
    if is_object(returned) and isinstance(raw := returned.get(CREW_TEXT), str) and CREW_TASKS in returned:
        return raw
    return answer_text(returned)


def _answer_text_of(root: Span) -> str | None:
    """Return the root's text, or None if it is the JSON of an application's state."""
    returned, text = parsed(root.output), _root_text(root)
    return None if isinstance(returned, dict | list) and text == as_text(returned) else text
