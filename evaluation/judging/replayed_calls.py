"""Tool results shown to judges: an output's calls are executed in its case's environments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...judges import Replay
from ...records import Case, Episode, Output, kind_spec


def replay_in(environments: Mapping[str, type]) -> Replay:
    """Return a function that executes an output's calls and returns their results.

    For a case without environments it returns None.

    It raises InputError for a case whose worlds are not known, or do not take their configuration.
    """
    return partial(_replay, environments)


def _replay(environments: Mapping[str, type], case: Case, output: Output) -> Episode | None:
    if kind_spec(case.kind).family != "conversation" or not case.reference.get("classes"):
        return None
    from ...deterministic.multi_turn.trajectory import replay  # noqa: PLC0415 - who judges no conversations needs no worlds

    return replay(case, output, environments)
