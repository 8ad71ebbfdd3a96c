"""Prompt of a judge for one model: messages, decoding parameters, reply parser."""

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
from .transport.decision_apis import DecisionApi, compiled
from .transport.exchange import ApiName
from .transport.refused_parameters import LIMITS, Refusal, other_limit, refused_parameter

_WITH_LOGPROBS: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 5}
"""Decoding parameters that ask for log-probabilities; every provider gives five alternatives."""

OF_A_PAIR = frozenset({"first", "second"})
"""Inputs that only a pair of outputs has."""


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """Prompt of a judge: its messages, its parameters and the parser of its replies.

    Attributes:
        id: Identity of the judge; equal fingerprints mean comparable scores.
        by: Name that signs its verdicts: ``judge/variant@model``, or longer if another judge has the same short name.
        prompt: The prompt file.
        parameters: Decoding parameters: the prompt's, with the user's on top, without those that the model refused.
        parse: Parser of replies.
        render: Renderer of messages from values.
        input_builders: Functions that make values from a case and an output.
        overrides: Decoding parameters from the user; the value None removes one of the prompt's.
        refused: Changes after the model's refusals, in the same form.
        view: Part of the fingerprint on how an item is shown.
        api: Protocol in which it is asked; other than ``chat``, the prompt's questions to a decision model are.
        form: Form in which an audit asks the questions to a decision model; empty for the usual one.
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
        """Fingerprints with earlier versions of the parser of its replies."""
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
        """Return the parameter that the model refused, if the judge can do without it.

        Parameters that the user set are never dropped. A token limit is renamed instead. A judge that scores by
        log-probabilities needs them.
        """
        name = refused_parameter(error, self.parameters)
        if name is None:
            return None
        if name in LIMITS:
            other = other_limit(error, name)
            return None if other is None else Refusal(self.model, name, str(error), other)
        needed = self.overrides.keys() | (_WITH_LOGPROBS.keys() if self.weighs else set[str]())
        return None if name in needed else Refusal(self.model, name, str(error))

    def adapted(self, refusal: Refusal) -> Self:
        """Return the judge without a parameter that its model refused.

        The result is another judge if it had that parameter.
        """
        if refusal.model != self.model or refusal.name not in self.parameters:
            return self
        value = self.parameters[refusal.name]
        changes = {refusal.name: None} | ({refusal.instead: value} if refusal.instead else {})
        refused = {**self.refused, **changes}
        parameters = merged_parameters(self.prompt, self.overrides, refused)
        fingerprint = judge_fingerprint(
            self.prompt, self.model, parameters, self.view, api=self.api, form=self.form
        )
        judge_id = msgspec.structs.replace(self.id, fingerprint=fingerprint)
        return replace(self, id=judge_id, parameters=parameters, refused=refused)

    @property
    def decides(self) -> bool:
        """True if it asks a decision model, whose answers are probabilities."""
        return self.prompt.mode == DECISION

    def request(self, case: Case, output: Output) -> tuple[list[Message], Mapping[str, Any]]:
        """Return the messages and parameters of the request about one output; see `messages`.

        A decision model gets no messages; the parameters are its material and questions.
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
        """Return the messages to the model for one output; of a decision model, its request as one.

        Raises:
            NotApplicableError: The item lacks an input of the prompt.
            PromptError: The template cannot be rendered.
        """
        if self.api != "chat":
            _, body = self.request(case, output)
            return [{"role": "user", "content": json.dumps(body, ensure_ascii=False, indent=2)}]
        marked = with_marks(case, output)
        values = fill_inputs(self.prompt.inputs, marked.case, marked.output, self.input_builders)
        shown = shown_among(marked.media, values)
        require_sendable(shown, images=self.prompt.images, how=self._to_send_images)
        return with_parts(self.render(values), shown) if shown else self.render(values)

    @property
    def _to_send_images(self) -> str:
        """Instruction that makes this judge send images."""
        if self.decides:
            return "decision models are sent text"
        if self.id.kind == "own":
            return f"add `images: true` to {self.prompt.path}"
        return f"add `images: true` to a copy (`fiducial prompts show {self.id.name}/{self.id.variant}`)"

    @property
    def weighs(self) -> bool:
        """True if its score is the probability of the best score, by the reply's log-probabilities."""
        return self.prompt.mode == LOGPROBS

    @property
    def scores(self) -> ScoreKind | None:
        """Kind of its scores, if its prompt says it.

        An expected share or level of several answers is a grade.
        """
        if self.weighs:
            return PROBABILITIES
        if not self.decides:
            return self.prompt.scores
        decision = self.prompt.decision
        assert decision is not None
        return PROBABILITIES if decision.score in {"one", "all_of"} else GRADES

    @property
    def compares(self) -> bool:
        """True if it compares two outputs instead of judging one."""
        return not OF_A_PAIR.isdisjoint(self.prompt.shown)

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
        """True if it judges all criteria of a rubric in one reply."""
        return self.prompt.mode == CRITERIA

    def for_case(self, case: Case) -> Self:
        """Return the judge with a parser for this case, if parsing takes the case's criteria.

        For a criterion with negative points, which describes a fault, the score is 1 if it is not met.
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
        """Return the judge with a parser for a trajectory of this many steps."""
        return replace(self, parse=bounded_step_parser(self.parse, count))

    def item_evidence(self, case: Case, output: Output) -> dict[str, object]:
        """Return evidence that describes the item: the criterion, or the number of steps."""
        if self.names_steps:
            return {STEP_COUNT: sum(steps_by_turn(case, output))}
        criterion = criterion_asked_about(case) if self.prompt.by_criterion else None
        return {} if criterion is None else criterion_evidence(criterion)

    def for_item(self, case: Case, output: Output) -> Self:
        """Return the judge with a parser for this item, if parsing its replies takes the item."""
        if self.form:
            return self
        if self.names_steps:
            return self.for_steps(sum(steps_by_turn(case, output)))
        if not self.splits:
            return self.for_case(case)
        marked = with_marks(case, output)
        shown = fill_inputs(self.prompt.inputs, marked.case, marked.output, self.input_builders)
        return replace(self, parse=statements_parser(shown["response"], shown.get("query", "")))


def merged_parameters(
    prompt: PromptFile, parameters: Mapping[str, Any], refused: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the decoding parameters of a request."""
    asked_for: Mapping[str, Any] = _WITH_LOGPROBS if prompt.mode == LOGPROBS else {}
    merged = {**asked_for, **prompt.parameters, **parameters, **refused}
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

    Equal fingerprints mean that an item gets the same question, and its reply is read the same way. ``version`` is that of the
    parser, or None for the current one. The questions to a decision model count as they are sent in its dialect.
    """
    version = parser_version(prompt) if version is None else version
    decided = [] if api == "chat" else [_compiled_questions(prompt, api)]
    decided += [f"{form} {FORM_VERSION}"] if form else []
    settings = json.dumps([model, parameters, version, *([view] if view else []), *decided], sort_keys=True)
    return hashlib.sha256(prompt.path.read_bytes() + b"\0" + settings.encode()).hexdigest()


def _compiled_questions(prompt: PromptFile, api: DecisionApi) -> str:
    """Return the questions in a dialect, in their order, with the form of the material."""
    assert prompt.decision is not None
    parts = dict.fromkeys(PARTED, ("1", "2"))
    questions = prompt.decision.asked(parts, steps=1)
    return json.dumps([api, STATE_VERSION, compiled(api, prompt.decision.state, questions)])
