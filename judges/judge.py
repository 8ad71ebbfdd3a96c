"""Judges: case-output pairs in, verdicts out; most are prompts that ask a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, Self

import msgspec

from ..errors import UsageError
from ..records import Case, JudgeId, JudgeKind, Kind, Message, Output, Verdict
from .catalogue import (
    JUDGED_KINDS,
    KnownPrompt,
    PromptName,
    find_prompt,
    is_prompt_file,
    known_prompt,
    known_prompts,
)
from .composite import AskedJudge
from .cycle import Work, as_done, judge_output
from .media import refuse_unsendable, shown_among, take_out, with_parts
from .parsing import LOGPROBS, PARSER_VERSION, STATEMENTS, ReplyParser, make_parser, statements_beside
from .prompt_file import PromptFile, read_prompt_file
from .prompt_inputs import fill_inputs, refuse_unfillable
from .prompt_variables import FILLERS, FILLERS_OF_CALLS, Filler, Replay, fillers_with
from .rendering import Render, compile_prompt
from .transcript import TRANSCRIPT_VERSION
from .transport import CallError, Provider
from .transport.refused_parameters import LIMITS, Refusal, other_limit, refused_parameter

_WITH_LOGPROBS: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 5}
"""Decoding parameters that ask for log-probabilities; five alternatives are what every provider gives."""


_OF_A_PAIR = frozenset({"first", "second"})
"""Inputs that only a pair of outputs has."""

_TASKS_PER_CALL = 2
"""Items at work per call in flight: while some wait to be tried again, others keep the slots busy."""


class ModelClient(Protocol):
    """Access to a model; opened by judges that ask one."""

    @property
    def concurrency(self) -> int:
        """Maximum number of calls in flight."""
        ...

    def open(self) -> AbstractAsyncContextManager[Provider]:
        """Open the provider that answers requests, for as long as the context is open."""
        ...


class Judge(AskedJudge, Protocol):
    """Interface of judges: case-output pairs in, verdicts out."""

    @property
    def pass_at(self) -> float | None:
        """Declared pass threshold in (0, 1]; None if it declares none."""
        ...

    def named(self, by: str) -> Self:
        """Return the judge under another name, which signs its verdicts."""
        ...

    async def verdict(self, case: Case, output: Output, way: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output: graded, or with the reason why not."""
        ...

    def verdicts(self, work: Iterable[Work], way: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; yield one verdict each, as they are done.

        Work is taken only as fast as verdicts are.
        """
        ...


@dataclass(frozen=True, slots=True)
class PromptJudge:
    """A prompt that is asked of a model.

    Attributes:
        id: Which judge it is; equal fingerprints mean comparable scores.
        by: How its verdicts are signed: ``judge/variant@model``, or longer where another would be shown alike.
        prompt: The prompt file.
        parameters: Decoding parameters: the prompt's, with the user's on top, without those that the model refused.
        parse: Reads replies.
        render: Makes messages of values.
        fillers: Makes values of a case and an output.
        given: Decoding parameters of the user's; None as a value leaves one of the prompt's out.
        refused: What the model's refusals changed in the same form.
        view: What its fingerprint says of how it is shown an item.
    """

    id: JudgeId
    by: str
    prompt: PromptFile
    parameters: Mapping[str, Any]
    parse: ReplyParser
    render: Render
    fillers: Mapping[str, Filler]
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refused: Mapping[str, Any] = field(default_factory=dict[str, Any])
    view: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self.id.model

    @property
    def fingerprint(self) -> str:
        """Hash of everything that is asked and read."""
        return self.id.fingerprint

    @property
    def pass_at(self) -> float | None:
        """Declared pass threshold in (0, 1]; None if it declares none."""
        if self.id.kind != "shipped":
            return self.prompt.pass_at
        return known_prompts()[PromptName(self.id.name, self.id.variant)].pass_at

    @property
    def kinds(self) -> frozenset[Kind] | None:
        """The kinds of case it judges; None for every kind."""
        return JUDGED_KINDS.get(self.id.name) if self.id.kind == "shipped" else self.prompt.kinds

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, by=by)

    def refusal(self, error: CallError) -> Refusal | None:
        """Return the parameter that a failed call was about, where the judge can do without it.

        What the user asked for is never left out, nor is a limit of tokens: it is given its other name. A judge that scores by
        log-probabilities cannot do without them.
        """
        name = refused_parameter(error, self.parameters)
        if name is None:
            return None
        if name in LIMITS:
            other = other_limit(error, name)
            return None if other is None else Refusal(self.model, name, str(error), other)
        kept = self.given.keys() | (_WITH_LOGPROBS.keys() if self.weighs else set[str]())
        return None if name in kept else Refusal(self.model, name, str(error))

    def adapted(self, refusal: Refusal) -> Self:
        """Return the judge without a parameter that its model refused.

        The result is another judge if it had that parameter.
        """
        if refusal.model != self.model or refusal.name not in self.parameters:
            return self
        value = self.parameters[refusal.name]
        changes = {refusal.name: None} | ({refusal.instead: value} if refusal.instead else {})
        refused = {**self.refused, **changes}
        parameters = _merged(self.prompt, self.given, refused)
        fingerprint = _fingerprint(self.prompt.path, self.model, parameters, self.view)
        judge_id = msgspec.structs.replace(self.id, fingerprint=fingerprint)
        return replace(self, id=judge_id, parameters=parameters, refused=refused)

    async def verdict(self, case: Case, output: Output, way: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output; see `Judge`.

        It raises PromptError when the prompt cannot be rendered.
        """
        async with way.open() as provider:
            return await judge_output(case, output, self, provider, repeat=repeat)

    async def verdicts(self, work: Iterable[Work], way: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; see `Judge`.

        It raises PromptError when the prompt cannot be rendered.
        """
        async with way.open() as provider:
            async for verdict in judge_work(work, self, provider, concurrency=way.concurrency):
                yield verdict

    def messages(self, case: Case, output: Output) -> list[Message]:
        """Return the messages to the model for one output.

        Raises:
            NotApplicableError: The item lacks what this judge judges by.
            PromptError: The template cannot be rendered.
        """
        case, output, media = take_out(case, output)
        values = fill_inputs(self.prompt.inputs, case, output, self.fillers)
        shown = shown_among(media, values)
        refuse_unsendable(shown, images=self.prompt.images, how=self._to_send_images)
        return with_parts(self.render(values), shown) if shown else self.render(values)

    @property
    def _to_send_images(self) -> str:
        """Instruction that makes this judge send images."""
        if self.id.kind == "own":
            return f"add `images: true` to {self.prompt.path}"
        return f"add `images: true` to a copy (`fiducial prompts show {self.id.name}/{self.id.variant}`)"

    @property
    def weighs(self) -> bool:
        """True if its score is the probability of the best score, by the reply's log-probabilities."""
        return self.prompt.mode == LOGPROBS

    @property
    def compares(self) -> bool:
        """True if it compares two outputs instead of judging one."""
        return not _OF_A_PAIR.isdisjoint(self.prompt.shown)

    @property
    def splits(self) -> bool:
        """True if it splits answers into statements instead of judging them."""
        return self.id.kind == "split"

    def beside(self, case: Case, output: Output) -> PromptJudge:
        """Return the judge with a parser for this item, if its replies can only be read beside it."""
        if not self.splits:
            return self
        case, output, _ = take_out(case, output)
        shown = fill_inputs(self.prompt.inputs, case, output, self.fillers)
        return replace(self, parse=statements_beside(shown["response"], shown.get("query", "")))


async def judge_work(
    work: Iterable[Work], judge: PromptJudge, provider: Provider, *, concurrency: int = 64
) -> AsyncGenerator[Verdict]:
    """Judge exactly these repetitions with an open provider, which limits the calls in flight."""

    async def ask(case: Case, output: Output, repeat: int) -> Verdict:
        return await judge_output(case, output, judge, provider, repeat=repeat)

    async for verdict in as_done(work, ask, concurrency * _TASKS_PER_CALL):
        yield verdict


def load_judge(
    spec: str,
    *,
    model: str,
    parameters: Mapping[str, Any] | None = None,
    refused: Mapping[str, Any] | None = None,
    replay: Replay | None = None,
) -> PromptJudge:
    """Load a judge.

    Args:
        spec: ``judge`` (its default variant), ``judge/variant``, ``statements/split``, or a path to a ``.prompty`` file.
        model: The model's name at the endpoint.
        parameters: Decoding parameters that replace the prompt's; None as a value leaves one out.
        refused: What the model's refusals are known to change, in the same form.
        replay: Executes an output's calls, so that a transcript shows what they returned; None to show what the output records.

    Raises:
        UsageError: There is no such judge, or no model is named.
        PromptError: The prompt file cannot be used.
    """
    if not model:
        raise UsageError("a judge needs a model: name one with --model")
    name, path = find_prompt(spec)
    prompt = read_prompt_file(path)
    refuse_unfillable(prompt)
    merged = _merged(prompt, parameters or {}, refused or {})
    view, fillers = _view(prompt, known_prompt(name, path), replay)
    judge_id = JudgeId(
        kind=_kind(spec, prompt),
        name=name.judge,
        variant=name.variant,
        model=model,
        fingerprint=_fingerprint(path, model, merged, view),
    )
    return PromptJudge(
        id=judge_id,
        by=judge_id.plain,
        prompt=prompt,
        parameters=merged,
        parse=make_parser(prompt),
        render=compile_prompt(prompt),
        fillers=fillers,
        given=dict(parameters or {}),
        refused=dict(refused or {}),
        view=view,
    )


def _merged(prompt: PromptFile, given: Mapping[str, Any], refused: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decoding parameters of a request."""
    asked_for: Mapping[str, Any] = _WITH_LOGPROBS if prompt.mode == LOGPROBS else {}
    merged = {**asked_for, **prompt.parameters, **given, **refused}
    return {name: value for name, value in merged.items() if value is not None}


def _kind(spec: str, prompt: PromptFile) -> JudgeKind:
    if prompt.mode == STATEMENTS:
        return "split"
    return "own" if is_prompt_file(spec) else "shipped"


def _view(
    prompt: PromptFile, known: KnownPrompt | None, replay: Replay | None
) -> tuple[dict[str, str], Mapping[str, Filler]]:
    """Return the view of a judge for its fingerprint, and the fillers that produce it."""
    if prompt.shown.isdisjoint({"transcript", *_OF_A_PAIR}):
        return {}, FILLERS
    if known is not None and known.transcript == "calls":
        return {}, FILLERS_OF_CALLS
    if replay is None:
        return {"transcript": TRANSCRIPT_VERSION}, FILLERS
    return {"transcript": f"{TRANSCRIPT_VERSION}, executed"}, fillers_with(replay)


def _fingerprint(path: Path, model: str, parameters: Mapping[str, Any], view: Mapping[str, str]) -> str:
    """Return a hash of everything that is asked and read.

    Equal fingerprints mean that an item gets the same question, and its reply is read the same way.
    """
    settings = json.dumps([model, parameters, PARSER_VERSION, *([view] if view else [])], sort_keys=True)
    return hashlib.sha256(path.read_bytes() + b"\0" + settings.encode()).hexdigest()
