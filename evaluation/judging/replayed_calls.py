"""What judges are shown of the worlds: an output's calls are executed in those of its case."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...judges import Replay
from ...records import Case, Episode, Output


def replay_in(environments: Mapping[str, type]) -> Replay:
    """A function that executes an output's calls, and returns what they returned; None for a case without worlds.

    It raises InputError for a case whose worlds are not known, or do not take their configuration.
    """
    return partial(_replay, environments)


def _replay(environments: Mapping[str, type], case: Case, output: Output) -> Episode | None:
    if case.kind != "multi_turn" or not case.reference.get("classes"):
        return None
    from ...deterministic.multi_turn.trajectory import replay  # noqa: PLC0415 - who judges no conversations needs no worlds

    return replay(case, output, environments)
