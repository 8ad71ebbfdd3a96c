"""Turn a judge's replies into verdicts, and reread the replies that verdicts store.

`read_reply` reads a reply into an `AskResult`, of which `make_verdict` makes a verdict. `read_again` rereads a verdict's stored
replies with the current parser. `asked_again` merges the verdicts of two commands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import DecodingError
from ..records import NO_USAGE, Outcome, Output, Usage, Verdict
from ..records.scale import Scale
from .decision_scores import UnscoredAnswersError
from .parsing import STEP_COUNT, ParsedReply, is_refusal
from .transport import Reply, TokenLogprob
from .transport.refused_parameters import LIMITS

if TYPE_CHECKING:
    from .judge_prompt import JudgePrompt


_MARKED_REFUSAL = "refusal"
"""Stands for the finish reason of a refusal that the provider marks."""
_REFUSAL_FINISHES = frozenset({"content_filter", "safety", "refusal"})
_CUT_OFF_FINISHES = frozenset({"length", "max_tokens"})
"""Finish reasons of OpenAI, and those that gateways pass on from other providers."""
_LIMIT_FACTOR = 4
"""After a reply was cut off, the retry's token limit is larger by this factor."""
_MAX_STORED_LENGTH = 1_000_000
"""Longer replies are cut in verdicts, since lines of run folders have a limit."""
_UNREAD = "unread"
"""Evidence key of earlier replies that could not be read."""
_REPLY_EVIDENCE = frozenset(
    {"served_by", "finish_reason", "probability", _UNREAD, "criterion", "points", "tags", STEP_COUNT}
)
"""Evidence that does not come from the text of a reply; rereading keeps it."""


@dataclass(frozen=True, slots=True)
class AskResult:
    """Result of asking a judge about one item.

    Attributes:
        outcome: Outcome of the verdict.
        reading: The parsed reply, if there is a score.
        reason: Reason for the score, or for the lack of one.
        usage: Usage of all calls.
        reply: The reply that counts, or None if there was none.
        unread: Earlier replies that could not be read.
        details: Evidence of a reply without a score, such as a decision model's answers.
    """

    outcome: Outcome
    reading: ParsedReply | None = None
    reason: str | None = None
    usage: Usage | None = None
    reply: Reply | None = None
    unread: tuple[Reply, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


def read_reply(
    reply: Reply, judge: JudgePrompt, usage: Usage | None = None, *, probability: float | None = None
) -> AskResult:
    """Read a judge's reply.

    Args:
        reply: The reply.
        judge: The judge.
        usage: Usage of the calls so far.
        probability: Stored probability of the best score, or None to compute it from the log-probabilities of the reply.
    """
    finish = (reply.finish_reason or "").lower()
    if reply.refusal is not None or finish in _REFUSAL_FINISHES:
        reason = reply.refusal or "stopped by the provider's content filter"
        return AskResult("refused", reason=reason, usage=usage, reply=reply)
    if finish in _CUT_OFF_FINISHES:
        return AskResult("unparsable", reason=_cut_off(reply), usage=usage, reply=reply)
    try:
        reading = judge.parse(reply.text)
        if judge.weighs:
            reading = _with_probability(reading, reply, judge, probability)
    except UnscoredAnswersError as error:
        outcome = "refused" if error.refused else "unparsable"
        return AskResult(outcome, reason=str(error), usage=usage, reply=reply, details=error.details)
    except DecodingError as error:
        refused = is_refusal(reply.text)
        reason = "the judge declined in its reply" if refused else str(error)
        if not reply.text:
            reason = "the reply has no text (tool calls and reasoning do not count)"
        return AskResult("refused" if refused else "unparsable", reason=reason, usage=usage, reply=reply)
    return AskResult("graded", reading=reading, reason=reading.reason, usage=usage, reply=reply)


def _cut_off(reply: Reply) -> str:
    if reply.text.strip():
        return "the reply was cut off at the token limit"
    return "all tokens went into reasoning: the limit was reached before the reply began (raise the decoding parameter max_completion_tokens)"


def with_more_room(parameters: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    """Return the parameters of a retry, with a higher token limit if the reply was cut off."""
    if (reply.finish_reason or "").lower() not in _CUT_OFF_FINISHES:
        return parameters
    raised = {
        name: _LIMIT_FACTOR * limit for name in LIMITS if isinstance(limit := parameters.get(name), int)
    }
    return {**parameters, **raised}


def _with_probability(
    reading: ParsedReply, reply: Reply, judge: JudgePrompt, probability: float | None
) -> ParsedReply:
    """Return the reading with the probability of the best score as its score.

    The details keep the score in the text, as ``said``.
    """
    if probability is None and reply.logprobs is not None:
        probability = probability_of_best(reply.logprobs, judge.prompt.scale)
    if probability is None:
        raise DecodingError("the reply has no log-probabilities of the two scores")
    return ParsedReply(probability, reading.reason, {**reading.details, "said": reading.score})


def make_verdict(
    output: Output, judge: JudgePrompt, repeat: int, result: AskResult, evidence: Mapping[str, object] = {}
) -> Verdict:
    """Make a verdict of a result; ``evidence`` describes the item."""
    reading, reply = result.reading, result.reply
    text = None if reply is None else reply.text or reply.refusal
    return Verdict(
        case_id=output.case_id,
        system=output.system,
        trial=output.trial,
        by=judge.by,
        source="judge",
        outcome=result.outcome,
        score=None if reading is None else reading.score,
        reason=None if result.reason is None else _shortened(result.reason),
        evidence={**evidence, **_evidence(judge, result)},
        repeat=repeat,
        usage=result.usage,
        raw=_shortened(text) if text else None,
        judge=judge.id,
    )


def _shortened(text: str) -> str:
    if len(text) <= _MAX_STORED_LENGTH:
        return text
    return (
        f"{text[:_MAX_STORED_LENGTH]}\n[cut: {len(text) - _MAX_STORED_LENGTH:,} of {len(text):,} characters]"
    )


def read_again(verdict: Verdict, judge: JudgePrompt) -> Verdict:
    """Reread a verdict's stored replies with the judge's current parser.

    The first reply that can be read counts. If none is stored, only the id of the judge is updated.
    """
    unchanged = msgspec.structs.replace(verdict, judge=judge.id)
    if not rests_on_a_reply(verdict):
        return unchanged
    if judge.names_steps:
        judge = judge.for_steps(verdict.evidence.get(STEP_COUNT, 0))
    # In the order of their arrival: a later reply was only requested because the earlier one could not be read.
    for unread in verdict.evidence.get(_UNREAD, ()):
        result = read_reply(_stored_reply(unread["text"], unread.get("finish_reason")), judge)
        if result.outcome != "unparsable":
            return _updated_verdict(verdict, judge, result, _REPLY_EVIDENCE - {"probability"})
    if verdict.raw is None:
        return unchanged
    reply = _stored_reply(verdict.raw, verdict.evidence.get("finish_reason"))
    result = read_reply(reply, judge, probability=verdict.evidence.get("probability"))
    kept_names = _REPLY_EVIDENCE if result.reading is not None else _REPLY_EVIDENCE - {"probability"}
    return _updated_verdict(verdict, judge, result, kept_names)


def asked_again(verdict: Verdict, earlier: Verdict) -> Verdict:
    """Return the verdict of a later command, with the unreadable replies of the earlier verdict."""
    unread = [*earlier.evidence.get(_UNREAD, ())]
    retried = earlier.outcome == "unparsable"
    if retried and earlier.raw is not None:
        finish = earlier.evidence.get("finish_reason")
        unread.append({"text": earlier.raw} | ({} if finish is None else {"finish_reason": finish}))
    unread += [reply for reply in verdict.evidence.get(_UNREAD, ()) if reply not in unread]
    evidence = verdict.evidence | ({_UNREAD: unread} if unread else {})
    usage = msgspec.structs.replace(verdict.usage or NO_USAGE, retried=1) if retried else verdict.usage
    return msgspec.structs.replace(verdict, evidence=evidence, usage=usage)


def rests_on_a_reply(verdict: Verdict) -> bool:
    """Return whether a verdict stores a reply that can be reread."""
    asked = verdict.outcome in {"graded", "unparsable", "refused"}
    return asked and (verdict.raw is not None or _UNREAD in verdict.evidence)


def _stored_reply(text: str, finish: str | None) -> Reply:
    return Reply(text=text, refusal=text if finish == _MARKED_REFUSAL else None, finish_reason=finish)


def _updated_verdict(
    verdict: Verdict, judge: JudgePrompt, result: AskResult, kept_names: frozenset[str]
) -> Verdict:
    """Update a verdict with a result; evidence under ``kept_names`` stays."""
    reading = result.reading
    return msgspec.structs.replace(
        verdict,
        outcome=result.outcome,
        score=None if reading is None else reading.score,
        reason=result.reason,
        judge=judge.id,
        evidence={
            **(reading.details if reading is not None else result.details),
            **{name: value for name, value in verdict.evidence.items() if name in kept_names},
        },
    )


def _evidence(judge: JudgePrompt, result: AskResult) -> dict[str, object]:
    evidence: dict[str, object] = dict(result.reading.details if result.reading else result.details)
    reply = result.reply
    if reply is None:
        return evidence
    if unread := [_stored_parts(unread_reply) for unread_reply in result.unread if unread_reply.text]:
        evidence[_UNREAD] = unread
    if reply.refusal is not None or reply.finish_reason not in {None, "stop"}:
        # `read_again` recognizes refusals and cut-off replies by the finish reason.
        evidence["finish_reason"] = _MARKED_REFUSAL if reply.refusal is not None else reply.finish_reason
    if reply.served_by is not None and (judge.decides or reply.served_by != judge.model):
        evidence["served_by"] = reply.served_by
    if result.outcome == "graded" and reply.logprobs is not None and not judge.names_steps:
        probability = probability_of_best(reply.logprobs, judge.prompt.scale)
        if probability is not None:
            evidence["probability"] = probability
    return evidence


def _stored_parts(reply: Reply) -> dict[str, str | None]:
    """Return the parts of an unreadable reply that rereading needs."""
    text = _shortened(reply.text)
    if reply.finish_reason in {None, "stop"}:
        return {"text": text}
    return {"text": text, "finish_reason": reply.finish_reason}


def probability_of_best(tokens: Sequence[TokenLogprob], scale: Scale) -> float | None:
    """Return the probability of the best score against the worst, from a reply's tokens.

    The last token that is one of the two scores counts. Among the likeliest tokens at its position, the result is the best score's
    share of the probability of both scores. It is None if the scale has more than two scores, or if no alternatives are known.
    """
    if not scale.is_binary:
        return None
    worst, best = (f"{end:g}" for end in scale.ends)
    for token in reversed(tokens):
        if token.token.strip() in {best, worst}:
            # The probabilities of tokens are added, since "1" and " 1" are two tokens of one score.
            probability_of = {best: 0.0, worst: 0.0}
            for text, logprob in {token.token: token.logprob, **token.top}.items():
                if text.strip() in probability_of:
                    probability_of[text.strip()] += math.exp(min(0.0, logprob))
            total = probability_of[best] + probability_of[worst]
            return probability_of[best] / total if token.top and total > 0 else None
    return None
