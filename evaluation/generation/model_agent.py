"""Models as agents: asked step by step, with their calls executed in environments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import msgspec

from ...errors import InputError
from ...judges.transport.exchange import CallError, Provider, Reply, make_request
from ...records import Case, ItemKey, Message, kind_spec
from ...records.case import known_role
from .agent_tools import NOT_EXECUTED
from .attempt import AgentUsage, Attempt, MadeOutput, NoOutputError
from .chats import Chat, NativeChat, PromptChat, ToolMode
from .scene import Scene, SceneOverError, Scenes
from .simulated_user import AskedTurns, UserAccess

STEPS_PER_TURN = 21
"""Number of steps in one turn after which BFCL ends a conversation."""


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for asking a model.

    Attributes:
        model: Its name at the endpoint.
        mode: Form in which tools are offered.
        parameters: Decoding parameters; for all others, the endpoint's defaults.
        steps_per_turn: Maximum number of steps of a turn; a longer turn ends the conversation.
        any_type: Type to declare for values of any type, or None to declare none; see `tool_schema`.
    """

    model: str
    mode: ToolMode = "tools"
    parameters: Mapping[str, Any] = {}
    steps_per_turn: int = STEPS_PER_TURN
    any_type: str | None = None


class ModelAgent:
    """Model behind an OpenAI-compatible endpoint; its calls run in environments from ``scenes``."""

    def __init__(
        self,
        settings: ModelSettings,
        provider: Provider,
        scenes: Scenes,
        *,
        system: str | None = None,
        user: UserAccess | None = None,
    ) -> None:
        self.system = system or settings.model
        self.usage = AgentUsage()
        self._settings = settings
        self._provider = provider
        self._scenes = scenes
        self._user = user

    async def work(self, case: Case, trial: int) -> MadeOutput:
        """Work on a case; see `Agent.work`."""
        if kind_spec(case.kind).family == "workspace":
            raise NoOutputError("a model cannot write a workspace: run an agent (`fiducial artifacts run`)")
        scene = await self._scenes.scene(
            case, trial, lambda earlier, worlds: self.converse(earlier, trial, worlds)
        )
        if scene is None and case.tools and kind_spec(case.kind).family == "answer":
            raise NoOutputError(
                f"no environment for the tools of a case of kind {case.kind}: name it in reference.classes"
            )
        shown_case = case if scene is None or scene.shown is None else scene.shown
        attempt = await self.converse(shown_case, trial, scene)
        attempt.case = case  # its record hashes the case of the file, not the case as shown
        in_turns = scene is not None or len(case.turns) > 1 or case.user is not None
        native = self._settings.mode == "tools" and bool(case.tools)
        return MadeOutput(attempt.output(self.system, trial, in_turns=in_turns, native=native), attempt)

    async def converse(self, case: Case, trial: int, scene: Scene | None) -> Attempt:
        """Hold the conversation of a case, or one that precedes a case, turn by turn.

        Without a scene, calls are not executed, and a step with calls ends its turn.

        Raises:
            CallError: A call to the model failed, after its retries.
            SimulatedUserError: The case's simulated user has no next message.
        """
        case = _with_known_roles(case)
        attempt = Attempt(case=case)
        turns = AskedTurns(case, attempt, ItemKey(case.id, self.system, trial), self._user, self.usage)
        chat: Chat | None = None
        while (messages := await turns.following()) is not None:
            chat = chat or self._begin_chat(case, messages)
            turn_number = len(attempt.turns)
            attempt.begin_turn()
            chat.begin_turn(turn_number, messages)
            try:
                attempt.stopped = await self._turn(attempt, chat, trial, scene)
            except SceneOverError as error:
                attempt.stopped = str(error)
            if attempt.stopped or attempt.error:
                break
        return attempt

    def _begin_chat(self, case: Case, opening: Sequence[Message]) -> Chat:
        """Begin a chat; a simulated user's opening replaces the case's messages."""
        if case.user is not None:
            case = msgspec.structs.replace(case, messages=list(opening))
        if self._settings.mode == "tools":
            return NativeChat(case, any_type=self._settings.any_type)
        return PromptChat(case)

    async def _turn(self, attempt: Attempt, chat: Chat, trial: int, scene: Scene | None) -> str | None:
        """Run one turn, step by step; return why the conversation ends early, or None."""
        for _ in range(self._settings.steps_per_turn):
            started = monotonic()
            try:
                reply = await self._ask(attempt.case, chat, trial)
            except CallError as error:
                self.usage.agent += error.usage
                if not _is_too_long(error):
                    raise
                # The conversation exceeds the model's context, which is a limit of the system.
                attempt.error = str(error)
                return None
            self.usage.agent += reply.usage.paid
            # A reply from the cache or a recording, which needs no call, counts as immediate.
            seconds = round(monotonic() - started, 3) if reply.calls else 0.0
            step = chat.read(reply)
            attempt.add_step(step, reply.usage, seconds)
            if scene is None:
                if step.calls:
                    chat.add_results([NOT_EXECUTED] * len(step.calls))
                return None
            results = await scene.execute(step.readable)
            if results is None:
                return None
            attempt.add_results(results)
            chat.add_results(results)
        return f"a turn had {self._settings.steps_per_turn} steps and was not over"

    async def _ask(self, case: Case, chat: Chat, trial: int) -> Reply:
        parameters = {**self._settings.parameters, **chat.parameters}
        # A copy, since the chat's list may grow while the request is still in use.
        messages: list[Message] = list(chat.messages)
        request = make_request(self._settings.model, messages, parameters, repeat=trial)
        # Equal requests of two cases are two samples, so the case is part of the key, which is cut to the length of other keys.
        key = hashlib.sha256(f"{request.key}\n{case.id}".encode("utf-8", "surrogatepass")).hexdigest()
        return await self._provider.complete(replace(request, key=key[: len(request.key)]))


def _with_known_roles(case: Case) -> Case:
    """Return a case whose messages have roles that endpoints take."""
    messages = case.all_messages
    # `known_role` returns a message with a known role itself, and a copy of any other.
    if all(known_role(message) is message for message in messages):
        return case
    turns: list[Message | list[Message]] = [list(map(known_role, turn)) for turn in case.turns]
    return msgspec.structs.replace(case, messages=turns)


def examine_for_model(case: Case) -> None:
    """Raise an InputError for a case with nothing to send to a model."""
    if case.user is None and not any(case.turns) and kind_spec(case.kind).family != "workspace":
        raise InputError("there is nothing to send to a model: the case has no messages", field="messages")


def _is_too_long(error: CallError) -> bool:
    """Return whether the error says that the conversation exceeds the model's context.

    Each server says so in its own words.
    """
    text = str(error).lower()
    return (
        error.status in {400, 413, 422}
        and "context" in text
        and any(word in text for word in _TOO_LONG_WORDS)
    )


_TOO_LONG_WORDS = ("length", "window", "exceed", "too long", "maximum")
