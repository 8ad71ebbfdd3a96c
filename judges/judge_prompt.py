"""A judge's prompt for one model: it makes requests, and has the parser of replies.

`PromptJudge` (in `prompt_judge`) adds sending the requests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import msgspec

from ..records import Case, JudgeId, Kind, Message, Output
from ..records.output import steps_by_turn
from ..records.score_kinds import GRADES, PROBABILITIES, ScoreKind
from .catalogue import JUDGED_KINDS, PromptName, known_prompts
from .criteria import criteria_of, criterion_asked_about, criterion_evidence
from .decision_block import PARTED
from .decision_forms import FORM_VERSION
from .decision_state import STATE_VERSION, decision_request
from .media import require_sendable, shown_among, with_marks, with_parts
from .parsing import (
    CRITERIA,
    LOGPROBS,
    STEP,
    STEP_COUNT,
    ReplyParser,
    bounded_step_parser,
    criteria_parser,
    make_parser,
    parser_version,
    statements_parser,
)
from .prompt_file import DECISION, PromptFile
from .prompt_inputs import fill_inputs
from .prompt_variables import InputBuilder
from .rendering import Render
from .transport import CallError
from .transport.decision_apis import DecisionApi, compile_request
from .transport.exchange import ApiName
from .transport.refused_parameters import LIMITS, Refusal, other_limit, refused_parameter

_WITH_LOGPROBS: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 5}
"""Decoding parameters that ask for log-probabilities; every provider gives five alternatives."""

PAIR_INPUTS = frozenset({"first", "second"})
"""Inputs of prompts that compare two outputs."""


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """Prompt of a judge: its messages, its parameters and the parser of its replies.

    Attributes:
        id: Identity of the judge; equal fingerprints mean comparable scores.
        by: Author of its verdicts: ``judge/variant@model``, or longer if another judge has that name.
        prompt: The prompt file.
        parameters: Decoding parameters that are sent: the prompt's, overridden by the user's, without those that the model refused.
        parse: Parser of replies.
        render: Renderer of messages from values.
        input_builders: Functions that make values from a case and an output.
        overrides: Decoding parameters from the user; the value None removes one of the prompt's.
        refused: Changes after the model refused parameters, in the form of ``overrides``.
        view: How items are shown, as far as the fingerprint depends on it.
        api: Protocol of the endpoint. If it is not ``chat``, the prompt's questions to a decision model are asked.
        form: Form of the questions to a decision model (`decision_forms`); empty for the usual one.
    """

    id: JudgeId
    by: str
    prompt: PromptFile
    parameters: Mapping[str, Any]
    parse: ReplyParser
    render: Render
    input_builders: Mapping[str, InputBuilder]
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refused: Mapping[str, Any] = field(default_factory=dict[str, Any])
    view: Mapping[str, str] = field(default_factory=dict[str, str])
    api: ApiName = "chat"
    form: str = ""

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self.id.model

    @property
    def fingerprint(self) -> str:
        """Hash of everything that is asked and read."""
        return self.id.fingerprint

    @property
    def earlier_fingerprints(self) -> list[str]:
        """Fingerprints of this judge with earlier versions of its reply parser."""
        return [
            judge_fingerprint(self.prompt, self.model, self.parameters, self.view, version, api=self.api)
            for version in range(1, parser_version(self.prompt))
        ]

    @property
    def pass_at(self) -> float | None:
        """Declared pass threshold in (0, 1], or None if it declares none."""
        if self.id.kind != "shipped":
            return self.prompt.pass_at
        return known_prompts()[PromptName(self.id.name, self.id.variant)].pass_at

    @property
    def kinds(self) -> frozenset[Kind] | None:
        """The kinds of case it judges, or None for every kind."""
        if self.id.kind != "shipped":
            return self.prompt.kinds
        return JUDGED_KINDS.get(self.id.name, self.prompt.kinds)

    def refusal(self, error: CallError) -> Refusal | None:
        """Return the parameter that the model refused, or None if the judge needs it.

        A token limit is not dropped but renamed. Parameters that the user set are needed, and log-probabilities are needed by a
        judge that scores by them.
        """
        name = refused_parameter(error, self.parameters)
        if name is None:
            return None
        # Why: docs/decisions/0026-a-refused-parameter-makes-another-judge.md
        if name in LIMITS:
            other_name = other_limit(error, name)
            return None if other_name is None else Refusal(self.model, name, str(error), other_name)
        needed = self.overrides.keys() | (_WITH_LOGPROBS.keys() if self.weighs else set[str]())
        return None if name in needed else Refusal(self.model, name, str(error))

    def adapted(self, refusal: Refusal) -> Self:
        """Return the judge without a parameter that its model refused, as another judge.

        A judge that does not send that parameter is returned unchanged.
        """
        if refusal.model != self.model or refusal.name not in self.parameters:
            return self
        value = self.parameters[refusal.name]
        changes = {refusal.name: None} | ({refusal.instead: value} if refusal.instead else {})
        refused = {**self.refused, **changes}
        parameters = merge_parameters(self.prompt, self.overrides, refused)
        fingerprint = judge_fingerprint(
            self.prompt, self.model, parameters, self.view, api=self.api, form=self.form
        )
        judge_id = msgspec.structs.replace(self.id, fingerprint=fingerprint)
        return replace(self, id=judge_id, parameters=parameters, refused=refused)

    @property
    def decides(self) -> bool:
        """True if it asks a decision model."""
        return self.prompt.mode == DECISION

    def request(self, case: Case, output: Output) -> tuple[list[Message], Mapping[str, Any]]:
        """Return the messages and parameters of the request about one output; see `messages`.

        A decision model gets no messages: its material and questions are parameters.
        """
        if self.api == "chat":
            return self.messages(case, output), self.parameters
        block = self.prompt.decision
        assert block is not None
        body = decision_request(
            block, self.api, self.input_builders, case, output, how=self._to_send_images, form=self.form
        )
        return [], {**self.parameters, **body}

    def messages(self, case: Case, output: Output) -> list[Message]:
        """Return the messages about one output; for a decision model, one that shows the request.

        Raises:
            NotApplicableError: The item lacks an input of the prompt.
            PromptError: The template cannot be rendered.
        """
        if self.api != "chat":
            _, body = self.request(case, output)
            return [{"role": "user", "content": json.dumps(body, ensure_ascii=False, indent=2)}]
        item = with_marks(case, output)
        values = fill_inputs(self.prompt.inputs, item.case, item.output, self.input_builders)
        media = shown_among(item.media, values)
        require_sendable(media, images=self.prompt.images, how=self._to_send_images)
        return with_parts(self.render(values), media) if media else self.render(values)

    @property
    def _to_send_images(self) -> str:
        """Advice for an error: how to make this judge send images."""
        if self.decides:
            return "decision models are sent text"
        if self.id.kind == "own":
            return f"add `images: true` to {self.prompt.path}"
        return f"add `images: true` to a copy (`fiducial prompts show {self.id.name}/{self.id.variant}`)"

    @property
    def weighs(self) -> bool:
        """True if its score is a probability, from the log-probabilities of the reply."""
        return self.prompt.mode == LOGPROBS

    @property
    def scores(self) -> ScoreKind | None:
        """Kind of its scores, or None if it is not known."""
        if self.weighs:
            return PROBABILITIES
        if not self.decides:
            return self.prompt.scores
        decision = self.prompt.decision
        assert decision is not None
        # The other rules give a mean share or an expected level.
        return PROBABILITIES if decision.score in {"one", "all_of"} else GRADES

    @property
    def compares(self) -> bool:
        """True if it compares two outputs instead of judging one."""
        return not PAIR_INPUTS.isdisjoint(self.prompt.shown)

    @property
    def splits(self) -> bool:
        """True if it splits answers into statements instead of judging them."""
        return self.id.kind == "split"

    @property
    def names_steps(self) -> bool:
        """True if it names the first wrong step of a trajectory."""
        decision = self.prompt.decision if self.decides else None
        return self.prompt.mode == STEP or (decision is not None and decision.names_steps)

    @property
    def asks_all_criteria(self) -> bool:
        """True if it judges all criteria of a rubric in one request."""
        return self.prompt.mode == CRITERIA

    def for_case(self, case: Case) -> Self:
        """Return the judge with a parser for the criteria of this case, if it judges criteria.

        A criterion with negative points describes a fault, so the score is 1 if it is not met.
        """
        if self.form:
            return self
        if self.asks_all_criteria:
            return replace(self, parse=criteria_parser(criteria_of(case)))
        criterion = criterion_asked_about(case) if self.prompt.by_criterion else None
        if criterion is None or criterion.points >= 0:
            return self
        prompt = replace(self.prompt, scale=self.prompt.scale.flipped)
        return replace(self, prompt=prompt, parse=make_parser(prompt))

    def for_steps(self, count: int) -> Self:
        """Return the judge with a parser for a trajectory with this number of steps."""
        return replace(self, parse=bounded_step_parser(self.parse, count))

    def item_evidence(self, case: Case, output: Output) -> dict[str, object]:
        """Return evidence about the item: the criterion, or the number of steps."""
        if self.names_steps:
            return {STEP_COUNT: sum(steps_by_turn(case, output))}
        criterion = criterion_asked_about(case) if self.prompt.by_criterion else None
        return {} if criterion is None else criterion_evidence(criterion)

    def for_item(self, case: Case, output: Output) -> Self:
        """Return the judge with a parser for this item, if the parser depends on the item."""
        if self.form:
            return self
        if self.names_steps:
            return self.for_steps(sum(steps_by_turn(case, output)))
        if not self.splits:
            return self.for_case(case)
        item = with_marks(case, output)
        values = fill_inputs(self.prompt.inputs, item.case, item.output, self.input_builders)
        return replace(self, parse=statements_parser(values["response"], values.get("query", "")))


def merge_parameters(
    prompt: PromptFile, parameters: Mapping[str, Any], refused: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the decoding parameters of a request: later sources win, and None removes one."""
    logprobs: Mapping[str, Any] = _WITH_LOGPROBS if prompt.mode == LOGPROBS else {}
    merged = {**logprobs, **prompt.parameters, **parameters, **refused}
    return {name: value for name, value in merged.items() if value is not None}


def judge_fingerprint(
    prompt: PromptFile,
    model: str,
    parameters: Mapping[str, Any],
    view: Mapping[str, str],
    version: int | None = None,
    *,
    api: ApiName = "chat",
    form: str = "",
) -> str:
    """Return a hash of everything that is asked and read.

    Judges with equal fingerprints ask the same question about an item, and read replies in the same way. ``version`` is that of the
    parser, or None for the current one. Questions to a decision model are hashed in the form in which they are sent.
    """
    version = parser_version(prompt) if version is None else version
    parts: list[Any] = [model, parameters, version]
    # Empty parts are left out, so that fingerprints from before these parts existed stay valid.
    if view:
        parts.append(view)
    if api != "chat":
        parts.append(_compiled_questions(prompt, api))
    if form:
        parts.append(f"{form} {FORM_VERSION}")
    settings = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(prompt.path.read_bytes() + b"\0" + settings.encode()).hexdigest()


def _compiled_questions(prompt: PromptFile, api: DecisionApi) -> str:
    """Return the questions in a dialect, and how the material is written, as one text."""
    assert prompt.decision is not None
    parts = dict.fromkeys(PARTED, ("1", "2"))  # examples: any item's parts are asked about alike
    questions = prompt.decision.questions_for(parts, steps=1)
    return json.dumps([api, STATE_VERSION, compile_request(api, prompt.decision.state, questions)])
