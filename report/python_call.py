"""Next steps of runs made in Python, where no command can be typed again."""

from __future__ import annotations

from collections.abc import Iterable

from ..evaluation.conclusion.run_summary import RunSummary
from ..judges.catalogue import DEFAULT_VARIANTS
from ..records import JudgeId
from ..settings.typed_commands import option_of_verb

_NAMED = ("shipped", "baseline")
"""Kinds of judges that a name makes again."""


def named(summary: RunSummary, setting: str) -> str:
    """Return the name of a setting where the run was made: ``--out``, or ``out`` in Python."""
    return setting if summary.is_python else option_of_verb("run", setting)


def judges_arguments(summary: RunSummary, new: Iterable[str], model: str) -> dict[str, object]:
    """Return arguments that add judges to the run's: ``judges=["rubric", ...], model="m"``.

    Judges that no name makes again, such as functions, stand for themselves as ``*judges``.
    """
    known = [use.id for use in summary.judges if use.id is not None]
    names = dict.fromkeys([*(_name(id_) for id_ in known if id_.kind in _NAMED), *new])
    others = [...] if any(id_.kind not in _NAMED for id_ in known) else []
    return {"judges": [*others, *names], "model": model}


def _name(judge: JudgeId) -> str:
    is_default = judge.kind == "baseline" or judge.variant == DEFAULT_VARIANTS.get(judge.name)
    return judge.name if is_default else f"{judge.name}/{judge.variant}"


def retry_sentence(summary: RunSummary, *, checks: bool) -> str:
    """Return how to repeat failed calls or checks of a run made in Python."""
    again = "fix the checker and call fd.evaluate again" if checks else "call fd.evaluate again"
    if not summary.folder:
        return f'{again}; with out="RUN" it repeats only failed calls of judges.'
    return f"{again}{' with a new out' if checks else ', which retries only these'}."
