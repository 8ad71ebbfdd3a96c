"""How attempts went: a line each, beside what was made."""

from __future__ import annotations

import hashlib

from ...records import Case, ItemKey, encode_record
from ...records.case import Record
from .attempt import Made


class AttemptRow(Record, frozen=True, kw_only=True):
    """How one attempt went; a line of ``OUTPUTS.attempts.jsonl``.

    Attributes:
        case_id: The case.
        system: Who worked on it.
        trial: Which attempt.
        asked: Hash of what the agent was given, so that an output is not taken for one of a case that has changed since.
        made: Hash of the output's line, so that one that was changed by hand is told.
        seconds: Spent waiting for replies.
        calls: HTTP calls, those that were tried again included; 0 where every reply came from the cache or a recording.
        prompt_tokens: As counted by the endpoint, over all steps.
        completion_tokens: Likewise.
        stopped: Why it was ended before its end.
        failure: Why it came to no output, which is nobody's answer: a call that failed after its retries, a budget that was spent.
    """

    case_id: str
    system: str
    trial: int = 0
    asked: str | None = None
    made: str | None = None
    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    stopped: str | None = None
    failure: str | None = None

    @property
    def key(self) -> ItemKey:
        """Which attempt it is of."""
        return ItemKey(self.case_id, self.system, self.trial)


def attempt_row(made: Made) -> AttemptRow:
    """How the attempt behind an output went."""
    output, attempt = made
    steps = [step for turn in attempt.spent for step in turn]
    return AttemptRow(
        **output.key._asdict(),
        asked=asked_of(attempt.case),
        seconds=round(sum(step.seconds for step in steps), 3),
        calls=sum(step.calls for step in steps),
        prompt_tokens=sum(step.prompt_tokens for step in steps),
        completion_tokens=sum(step.completion_tokens for step in steps),
        stopped=attempt.stopped,
    )


def asked_of(case: Case) -> str:
    """A hash of what an agent is given of a case: nothing of how it is graded but the worlds."""
    worlds = {
        name: case.reference.get(name)
        for name in ("classes", "initial_config", "withheld", "withheld_tools", "long_context", "history")
    }
    return hash_of(encode_record([case.kind, case.messages, case.tools, case.context, worlds]))


def hash_of(line: bytes) -> str:
    """A short hash of a line."""
    return hashlib.sha256(line).hexdigest()[:16]
