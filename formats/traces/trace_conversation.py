"""The conversation of a trace: that of its models' spans, with its tools' spans joined."""

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
    question_of,
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
from .model_calls import request_messages
from .recorded_content import not_recorded
from .spans import Span
from .tool_results import MadeCalls, final_answer_in, inside_tools, join


class TraceConversation(NamedTuple):
    """Question and answer of a trace.

    Attributes:
        question: The messages before the answer.
        answer: The answer, or None if it was not recorded.
        unrecorded: Why there is no answer.
        turns: The turns, if the user spoke again.
        unasked: Tools' spans that are no calls, since no model asked for them.
        inside: Spans that are the work of a tool, by id, each with that tool's span.
    """

    question: list[Message]
    answer: AgentAnswer | None
    unrecorded: str | None = None
    turns: list[ConversationTurn] = []
    unasked: list[Span] = []
    inside: dict[str, Span] = {}


def conversation_of_spans(root: Span, spans: list[Span]) -> TraceConversation:
    """Return the conversation of a trace, from its root and the spans below."""
    inside = inside_tools(root, spans)
    spans = [span for span in spans if span.id not in inside]
    models = _models(spans)
    told = _Told(models, _runs(root, spans))
    for model in models:
        told.add(model)
    asked_for = any(span.output_messages or _text(span) for span in models)
    tools = [span for span in spans if span.call is not None]
    has_arguments = all(span.has_arguments for span in models)
    unasked = join(tools, told.made) if asked_for else []
    if not asked_for:
        told.take_calls(tools)
        has_arguments = has_arguments and all(span.has_arguments for span in tools)
    question = _instructed(root, spans, _question(root, spans, told))
    switch = next((span.switch for span in [*models, root, *spans] if span.switch), None)
    missing = None if has_arguments else "the arguments of a call were"
    if not _has_answer(root, models, tools):
        missing = "the answer was"
    if missing is not None:
        return TraceConversation(question, None, not_recorded(missing, switch), [], unasked, inside)
    if not asked_for:
        return _of_root(root, question, told)
    told.end(_said_at(root))
    answer = answer_of_steps(told.steps())
    return TraceConversation(question, answer, None, told.turns(question), unasked, inside)


def _runs(root: Span, spans: list[Span]) -> dict[str, str]:
    """Return the run of each span: the span below the root that it is in, which is no model's.

    Models' spans below a root that is no agent's are runs of their own.
    """
    by_id = {span.id: span for span in spans}
    runs = dict[str, str]()
    for span in spans:
        at, seen = span, set[str]()
        while at.parent in by_id and at.parent != root.id and at.id not in seen:
            seen.add(at.id)
            at = by_id[at.parent]
        is_own = root.kind == "other" or (root.kind == "llm" and at.parent is None)
        runs[span.id] = root.id if at.kind == "llm" and not is_own else at.id
    return runs


def _models(spans: list[Span]) -> list[Span]:
    """Return the models' spans, without those of a second instrumentation inside them."""
    by_id = {span.id: span for span in spans}

    def is_inside(span: Span, holds: set[str]) -> bool:
        parent, seen = span.parent, {span.id}
        while parent is not None and parent in by_id and parent not in seen:
            if parent in holds:
                return True
            seen.add(parent)
            parent = by_id[parent].parent
        return False

    models = [span for span in spans if span.kind == "llm"]
    if any(span.has_messages for span in models):
        # Helpers of a model's client are recorded like models, but without messages.
        models = [span for span in models if span.has_messages or span.output is None]
    holds = {span.id for span in models if span.output_messages or span.error is not None}
    outer = [span for span in models if not is_inside(span, holds)]
    inner = {span.id for span in outer if span.id in holds}
    silent = {
        span.id
        for span in outer
        if span.id not in inner and any(is_inside(each, {span.id}) for each in outer if each is not span)
    }
    return [span for span in outer if span.id not in silent]


def _text(span: Span) -> str | None:
    return None if span.output is None else answer_text(parsed(span.output))


class _Told:
    """The steps that models told, in order."""

    def __init__(self, models: list[Span], runs: dict[str, str]) -> None:
        self.runs = runs
        self.asked, self.begun = _begun(
            next((model.messages for model in models if _asks(model.messages)), list[Message]())
        )
        self.entries: list[str | MadeCalls] = []
        self.last: Span | None = None
        self.users: dict[int, list[Message]] = {}
        """Messages of the user that came before an entry, by its number."""

    @property
    def made(self) -> list[MadeCalls]:
        """The steps that are calls."""
        return [entry for entry in self.entries if isinstance(entry, MadeCalls)]

    def add(self, model: Span) -> None:
        """Add a request's results and a reply's texts and calls."""
        later = self._after_question(model.messages)
        if self.last is None and self.begun and model.messages:
            self._tell(self.begun)
        self._recall(later, model)
        self._take_results(later)
        if spoken := self._user_again(later, model):
            self.users[len(self.entries)] = spoken
        if not model.output_messages and (text := _text(model)):
            self.entries.append(text)
        known = {_identity(call) for step in self.made for call in step.calls if call.id is not None}
        for message in model.output_messages:
            text, calls = text_of(message), calls_of(message)
            if calls and all(_identity(call) in known for call in calls):
                continue
            final = final_answer_in(calls)
            self.entries += [each for each in (text, final) if each]
            if calls and final is None:
                self.entries.append(MadeCalls(calls))
        self.last = model

    def _after_question(self, messages: list[Message]) -> list[FieldReader]:
        """Return a request's messages after the question; all of them if it has another."""
        nodes, asked = (
            [FieldReader(message) for message in messages],
            [FieldReader(message) for message in self.asked],
        )
        begins = [message_key(node) for node in nodes[: len(asked)]] == [
            message_key(reader) for reader in asked
        ]
        return nodes[len(asked) :] if begins else nodes

    def _recall(self, later: list[FieldReader], model: Span) -> None:
        """Take the replies that no span holds from a later request."""
        if self.last is None or self.last.has_output or len(later) == len(model.messages):
            return
        spoken = [reader for reader in later if role_of(reader) == "assistant"]
        told = sum(len(entry.calls) if isinstance(entry, MadeCalls) else 1 for entry in self.entries)
        if sum(bool(text_of(reader)) + len(calls_of(reader)) for reader in spoken) > told:
            self.entries = []
            self._tell(spoken)

    def _tell(self, messages: list[FieldReader]) -> None:
        """Add an agent's messages; successive calls without a text are one step."""
        after_calls = False
        for message in messages:
            text, calls = text_of(message), calls_of(message)
            is_agents = role_of(message) == "assistant"
            if text and is_agents:
                self.entries.append(text)
            if calls and after_calls and not text and isinstance(last := self.entries[-1], MadeCalls):
                last.calls += calls
            elif calls:
                self.entries.append(MadeCalls(calls))
            after_calls = bool(calls)

    def _user_again(self, later: list[FieldReader], model: Span) -> list[Message]:
        """Return what the user said after the last text, to another run; empty if it was no user.

        Agents' programs write as the user, too, but in one run.
        """
        said = next((n for n in reversed(range(len(later))) if role_of(later[n]) == "assistant"), None)
        if said is None or self.last is None or len(later) == len(model.messages):
            return []
        last = self.entries[-1] if self.entries else None
        if not isinstance(last, str) or (text_of(later[said]) or "").strip() != last.strip():
            return []
        after = [
            reader for reader in later[said + 1 :] if role_of(reader) == "user" and not results_of(reader)
        ]
        is_users = not any((text_of(reader) or "").startswith(FRAMEWORKS_WORDS) for reader in after)
        is_other_run = self.runs[model.id] != self.runs[self.last.id]
        return [reader.value for reader in after] if is_users and is_other_run else []

    def _take_results(self, later: list[FieldReader]) -> None:
        """Take the results of calls from a request, by id, else in order."""
        used = set[tuple[int, int]]()
        pending, answered = list[IdentifiedCall](), False
        for message in later:
            if calls := calls_of(message):
                pending = calls if answered else pending + calls
                answered = False
            for identity, value in results_of(message):
                answered = True
                at = next((n for n, each in enumerate(pending) if each.id == identity), 0)
                asked = pending.pop(at) if pending else None
                place = self._place(identity, asked, used)
                if place is not None:
                    used.add(place)
                    self.made[place[0]].told[place[1]] = parsed(value)

    def _place(
        self, identity: str | None, asked: IdentifiedCall | None, used: set[tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Return the step and the number of the call that a result answers."""
        places = [
            (number, at, each) for number, step in enumerate(self.made) for at, each in enumerate(step.calls)
        ]
        if identity is not None and (named := [place[:2] for place in places if place[2].id == identity]):
            return next((each for each in named if each not in used), named[-1])
        if asked is None:
            return None
        key = (asked.call.name, as_text(parsed(asked.call.arguments)))
        for number, at, each in places:
            is_free = (number, at) not in used and (each.id is None or identity is None)
            if is_free and (each.call.name, as_text(parsed(each.call.arguments))) == key:
                return number, at
        return None

    def take_calls(self, tools: Iterable[Span]) -> None:
        """Take tools' spans as calls, where no model's span tells them."""
        listed = [*tools]
        for span in listed:
            assert span.call is not None
            if any(each.id == span.parent and each.call == span.call for each in listed):
                continue  # the same call, recorded again inside
            own = MadeCalls([span.call])
            own.ran[0] = span
            self.entries.append(own)

    def end(self, text: str | None) -> None:
        """End with the root's text if no model's text does, or another text came after it."""
        texts = [entry.strip() for entry in self.entries if isinstance(entry, str)]
        last = self.entries[-1] if self.entries else None
        if text is None or text == str(None) or (isinstance(last, str) and text.strip() not in texts[:-1]):
            return
        if not isinstance(last, str) or last.strip() != text.strip():
            self.entries.append(text)

    def steps(self) -> list[Step]:
        """Return the steps."""
        steps = list[Step]()
        for entry in self.entries:
            steps += [entry] if isinstance(entry, str) else entry.steps()
        return steps

    def turns(self, question: list[Message]) -> list[ConversationTurn]:
        """Return the turns; empty if the user spoke once."""
        turns = [ConversationTurn([FieldReader(message) for message in question], [])]
        for number, entry in enumerate(self.entries):
            if number in self.users:
                turns.append(ConversationTurn([FieldReader(message) for message in self.users[number]], []))
            if isinstance(entry, str):
                turns[-1].reply.append(FieldReader({"role": "assistant", "content": entry}))
            else:
                turns[-1].reply.extend(entry.messages())
        return turns if self.users else []


def _identity(call: IdentifiedCall) -> tuple[str | None, str, str | None]:
    """Return what tells a call from others: some servers give the same ids again in each reply."""
    return call.id, call.call.name, as_text(parsed(call.call.arguments))


def _asks(messages: list[Message]) -> bool:
    """Return whether messages are more than instructions."""
    return any(message.get("role") != "system" for message in messages)


def _begun(messages: list[Message]) -> tuple[list[Message], list[FieldReader]]:
    """Split a request that ends with results of calls into question and begun answer."""
    nodes = [FieldReader(message) for message in messages]
    if not nodes or not results_of(nodes[-1]):
        return messages, []
    asked, begun = split_question(nodes)
    return ([reader.value for reader in asked], begun) if asked else (messages, [])


def _has_answer(root: Span, models: list[Span], tools: list[Span]) -> bool:
    """Return whether the root or the last model has an answer, or there are only calls."""
    answering = [span for span in models if span.error is None]
    if root.has_output or not answering:
        return root.has_output or bool(tools)
    return answering[-1].has_output


def _of_root(root: Span, question: list[Message], told: _Told) -> TraceConversation:
    """Return the conversation that the root tells, beside calls of tools' spans."""
    returned = parsed(root.output)
    state: Any = returned.get("messages") if is_object(returned) else returned
    if not told.entries and (is_conversation(state) or are_messages(state)):
        asked, done = split_question(conversation_messages(state))
        if done:
            messages = question or [dict(reader.value) for reader in asked]
            return TraceConversation(messages, answer_of(done))
    steps, text = told.steps(), _root_text(root) if root.error is None else _said_at(root)
    if text is not None and (not steps or steps[-1] != text):
        steps.append(text)
    return TraceConversation(question, answer_of_steps(steps))


def _root_text(root: Span) -> str | None:
    """Return the text at the root, or None if the root is a model span, whose steps hold it."""
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


def _said_at(root: Span) -> str | None:
    """Return the text at the root, or None if that is the JSON of an application's state."""
    returned, text = parsed(root.output), _root_text(root)
    return None if isinstance(returned, dict | list) and text == as_text(returned) else text


def _question(root: Span, spans: list[Span], told: _Told) -> list[Message]:
    """Return the question: that of the models, in the user's words where a run was given them."""
    runs = [span for span in (root, *spans) if span is root or span.kind == "agent"]
    given = [] if root.kind == "llm" else [span.messages or request_messages(span.input) for span in runs]
    asked = [told.asked, *(span.messages for span in spans if span.kind == "llm")]
    for number, words in enumerate(map(_last_user_text, given)):
        framed = (_with_words(each, words) for each in asked[: 1 if number else None])  # agents ask others
        if (found := next((each for each in framed if each is not None), None)) is not None:
            return found
    if told.asked:
        return told.asked
    others = [span for span in (root, *spans) if span.kind not in {"tool", "retriever"}]
    messages = (*given, *(span.messages for span in others))
    return next((message for message in messages if _asks(message)), None) or next(
        (each for span in others if (each := question_of(parsed(span.input)))), list[Message]()
    )


def _instructed(root: Span, spans: list[Span], question: list[Message]) -> list[Message]:
    """Return a question after the outermost agent's instructions, if it has none itself."""
    agent = root if root.kind != "other" else next((span for span in spans if span.kind == "agent"), root)
    has_system = not question or any(message.get("role") == "system" for message in question)
    return question if has_system else agent.instructions + question


def _last_user_text(messages: list[Message]) -> str | None:
    texts = [text_of(FieldReader(message)) for message in messages if message.get("role") == "user"]
    return next((text for text in reversed(texts) if text and text.strip()), None)


def _with_words(messages: list[Message], words: str | None) -> list[Message] | None:
    """Return messages with the user's own words at the end, or None if they do not hold them."""
    last = next((n for n in reversed(range(len(messages))) if messages[n].get("role") == "user"), None)
    if last is None or words is None:
        return None
    text = text_of(FieldReader(messages[last])) or ""
    if words.strip() not in text:
        return None
    said = messages[last] if text.strip() == words.strip() else {**messages[last], "content": words}
    after = [message for message in messages[last + 1 :] if message.get("role") not in {"assistant", "tool"}]
    return [*messages[:last], said, *after]
