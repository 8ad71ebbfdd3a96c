"""Next steps spelled for where the run was made: command options, or arguments in Python."""

from __future__ import annotations

from collections.abc import Iterable

from ..evaluation.conclusion.run_summary import RunSummary
from ..judges.catalogue import DEFAULT_VARIANTS
from ..records import JudgeId
from ..settings.typed_commands import option_of_verb

_NAMED_KINDS = ("shipped", "baseline")
"""Kinds of judges that can be made from a name alone."""


def named(summary: RunSummary, setting: str) -> str:
    """Return how a setting is spelled where the run was made: ``--out``, or ``out`` in Python."""
    return setting if summary.is_python else option_of_verb("run", setting)


def judges_arguments(summary: RunSummary, new: Iterable[str], model: str) -> dict[str, object]:
    """Return arguments of a call in Python that add judges to the run's.

    Example: ``judges=["rubric", ...], model="m"``. An ellipsis, shown as ``*judges``, stands for judges that a name cannot make,
    such as functions.
    """
    judge_ids = [use.id for use in summary.judges if use.id is not None]
    names = dict.fromkeys([*(_typed_name(id_) for id_ in judge_ids if id_.kind in _NAMED_KINDS), *new])
    rest = [...] if any(id_.kind not in _NAMED_KINDS for id_ in judge_ids) else []
    return {"judges": [*rest, *names], "model": model}


def _typed_name(judge: JudgeId) -> str:
    is_default = judge.kind == "baseline" or judge.variant == DEFAULT_VARIANTS.get(judge.name)
    return judge.name if is_default else f"{judge.name}/{judge.variant}"


def retry_sentence(summary: RunSummary, *, checks: bool) -> str:
    """Return a sentence on how to repeat failed calls or checks of a run made in Python."""
    again = "fix the checker and call fd.evaluate again" if checks else "call fd.evaluate again"
    if not summary.folder:
        return f'{again}; with out="RUN" it repeats only failed calls of judges.'
    return f"{again}{' with a new out' if checks else ', which retries only these'}."
