"""Judges that send a prompt to a model: load a judge by name, and ask it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import msgspec

from ..errors import PromptError, UsageError
from ..records import Case, JudgeId, JudgeKind, Message, Output, Verdict
from ..spelling import setting
from .catalogue import KnownPrompt, find_prompt, is_prompt_file, known_prompt
from .cycle import judge_concurrently, judge_output
from .decision_scores import form_parser
from .decision_state import ENTRIES, decision_builders
from .judge import ModelClient, RetryOf, Work
from .judge_prompt import PAIR_INPUTS, JudgePrompt, judge_fingerprint, merge_parameters
from .parsing import STATEMENTS, make_parser
from .prompt_file import PromptFile, read_prompt_file
from .prompt_inputs import require_fillable, unknown_input
from .prompt_variables import (
    INPUT_BUILDERS,
    INPUT_BUILDERS_OF_CALLS,
    InputBuilder,
    Replay,
    input_builders_with,
)
from .rendering import compile_prompt
from .transcript import TRANSCRIPT_VERSION
from .transport import Provider
from .transport.decision_apis import DECISION_APIS
from .transport.exchange import ApiName

_TASKS_PER_CALL = 2
"""Concurrent items for each call in flight: while some wait for a retry, others use the slots."""


@dataclass(frozen=True, slots=True)
class PromptJudge(JudgePrompt):
    """A judge that sends a prompt to a model."""

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, by=by)

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output; see `Judge`.

        Raises:
            PromptError: The prompt cannot be rendered.
        """
        async with client.open() as provider:
            return await judge_output(case, output, self, provider, repeat=repeat)

    async def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; see `Judge`.

        Raises:
            PromptError: The prompt cannot be rendered.
        """
        async with client.open() as provider:
            async for verdict in judge_work(
                work, self, provider, concurrency=client.concurrency, retry_of=client.retry_of
            ):
                yield verdict


async def judge_work(
    work: Iterable[Work],
    judge: PromptJudge,
    provider: Provider,
    *,
    concurrency: int = 64,
    retry_of: RetryOf | None = None,
) -> AsyncGenerator[Verdict]:
    """Judge repetitions of outputs with an open provider, which limits the calls in flight."""

    async def ask(case: Case, output: Output, repeat: int) -> Verdict:
        retry = 0 if retry_of is None else retry_of(output.key, judge.id, repeat)
        return await judge_output(case, output, judge, provider, repeat=repeat, retry=retry)

    async for verdict in judge_concurrently(work, ask, concurrency * _TASKS_PER_CALL):
        yield verdict


def load_judge(
    spec: str,
    *,
    model: str,
    parameters: Mapping[str, Any] | None = None,
    refused: Mapping[str, Any] | None = None,
    replay: Replay | None = None,
    api: ApiName = "chat",
) -> PromptJudge:
    """Load a judge.

    Args:
        spec: ``judge`` (its default variant), ``judge/variant``, ``statements/split``, or a path to a ``.prompty`` file.
        model: The model's name at the endpoint.
        parameters: Decoding parameters that override the prompt's; the value None removes one.
        refused: Changes after the model refused parameters in an earlier run, in the same form.
        replay: Function that executes an output's calls for transcripts; None to show the recorded results.
        api: Protocol of the endpoint. If it is not ``chat``, the prompt's questions to a decision model are asked, and the default
            variant of a shipped judge is ``decision``.

    Raises:
        UsageError: There is no such judge, or no model is named.
        PromptError: The prompt file cannot be used.
    """
    if not model:
        raise UsageError(f"a judge needs a model: name one with {setting('model')}")
    name, path = find_prompt(spec, decides=api != "chat")
    prompt = _asked_prompt(read_prompt_file(path), str(name), api)
    merged = merge_parameters(prompt, parameters or {}, refused or {})
    view, input_builders = _view(prompt, known_prompt(name, path), replay)
    if api != "chat":
        input_builders = decision_builders(input_builders)
    judge_id = JudgeId(
        kind=_kind(spec, prompt),
        name=name.judge,
        variant=name.variant,
        model=model,
        fingerprint=judge_fingerprint(prompt, model, merged, view, api=api),
    )
    return PromptJudge(
        id=judge_id,
        by=judge_id.plain,
        prompt=prompt,
        parameters=merged,
        parse=make_parser(prompt),
        render=compile_prompt(prompt) if api == "chat" else _no_messages,
        input_builders=input_builders,
        overrides=dict(parameters or {}),
        refused=dict(refused or {}),
        view=view,
        api=api,
    )


def in_form(judge: PromptJudge, form: str) -> PromptJudge:
    """Return the judge with its questions in another form (`decision_forms`).

    The result is another judge, whose verdicts contain answers but no grade.
    """
    fingerprint = judge_fingerprint(
        judge.prompt, judge.model, judge.parameters, judge.view, api=judge.api, form=form
    )
    judge_id = msgspec.structs.replace(
        judge.id, kind="form", variant=f"{judge.id.variant}~{form}", fingerprint=fingerprint
    )
    return replace(judge, id=judge_id, by=f"{judge.by}~{form}", parse=form_parser, form=form)


def _asked_prompt(prompt: PromptFile, name: str, api: ApiName) -> PromptFile:
    """Return the part of a prompt that a protocol needs: its template, or its questions.

    Raises:
        UsageError: The file has no such part.
        PromptError: The part has an input that nothing fills.
    """
    if api == "chat":
        if prompt.only_decides:
            raise UsageError(
                f"{name} asks a decision model; name the protocol of one: {setting('endpoints', 'URL,api=systemone')} (or {', '.join(DECISION_APIS[1:])})"
            )
        require_fillable(prompt)
        return prompt
    if prompt.decision is None:
        raise UsageError(
            f"{name} asks a chat model, and api={api} is that of a decision model: name a judge without its variant, or a prompt file with a decision: block"
        )
    if unknown := sorted(prompt.decision.state.keys() - ENTRIES):
        line = prompt.lines.get("decision", 1)
        raise PromptError(f"{prompt.path}:{line}: decision: {unknown_input(unknown[0])}")
    return prompt.for_decisions()


def _no_messages(values: Mapping[str, Any]) -> list[Message]:
    """Stand in for the template of a judge that asks a decision model."""
    raise AssertionError(f"a decision model is sent no messages, got {len(values)} values")


def _kind(spec: str, prompt: PromptFile) -> JudgeKind:
    if prompt.mode == STATEMENTS:
        return "split"
    return "own" if is_prompt_file(spec) else "shipped"


def _view(
    prompt: PromptFile, known_prompt: KnownPrompt | None, replay: Replay | None
) -> tuple[dict[str, str], Mapping[str, InputBuilder]]:
    """Return how a judge sees items, for its fingerprint, and the input builders for it."""
    if prompt.shown.isdisjoint({"transcript", "steps", *PAIR_INPUTS}):
        return {}, INPUT_BUILDERS
    if known_prompt is not None and known_prompt.transcript == "calls":
        return {}, INPUT_BUILDERS_OF_CALLS
    if replay is None:
        return {"transcript": TRANSCRIPT_VERSION}, INPUT_BUILDERS
    return {"transcript": f"{TRANSCRIPT_VERSION}, executed"}, input_builders_with(replay)
