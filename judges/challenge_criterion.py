"""The criterion of an agbenchmark challenge: what its template makes of its answer."""

from __future__ import annotations

import msgspec

from ..records import Case

_TEMPLATES = {
    "reference": "The response says, in substance, what this ideal answer says:\n{answer}",
    "rubric": "The response does well by this rubric:\n{answer}",
    "question": "Asked about the response, this question is to be answered with yes:\n{answer}",
}


class _Eval(msgspec.Struct):
    template: str | None = None
    examples: str | None = None


class _Ground(msgspec.Struct):
    answer: str
    eval: _Eval = msgspec.field(default_factory=_Eval)


class _Reference(msgspec.Struct):
    ground: _Ground


def challenge_criterion(case: Case) -> str | None:
    """Say what a good answer to a challenge achieves.

    Args:
        case: A case of kind ``artifact``.

    Returns:
        The answer in the words of its template (``reference``, ``rubric``, ``question``; any other: as it stands), and the
        challenge's examples after it; None when the challenge has no answer.
    """
    try:
        ground = msgspec.convert(case.reference, _Reference).ground
    except msgspec.ValidationError:
        return None
    template = _TEMPLATES.get(ground.eval.template or "", "{answer}")
    criterion = template.replace("{answer}", ground.answer)
    return f"{criterion}\n\nExamples:\n{ground.eval.examples}" if ground.eval.examples else criterion
