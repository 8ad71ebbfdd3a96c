"""Word overlap baseline for a finished run: scores from words, without model calls."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import RunFolderError
from ...judges.baseline import baseline_verdict, has_rule
from ...records import CaseIndex, JudgeId, Output, read_records
from ..store.kept_inputs import RunInputs
from ..store.run_store import RunStore


def lexical_scores(store: RunStore, labelled: Collection[str] = ()) -> dict[str, float]:
    """Score a run's labelled outputs, and those in ``labelled``, by the word overlap baseline.

    It imitates the judge of each output.

    Returns:
        Score by item (``case_id|system|trial``); if several judges graded an output, the first one is imitated. Empty when
        the word overlap baseline was itself a judge of the run, or the run's inputs are not there as they were.
    """
    judges = _judges_of(store, labelled)
    files = _inputs_of(store) if judges else None
    if files is None:
        return {}
    scores: dict[str, float] = {}
    with CaseIndex(files.cases, validated=True) as cases:
        for path in files.outputs:
            for output in read_records(path, Output):
                judge = judges.get(str(output.key))
                if judge is not None:
                    score = baseline_verdict(cases[output.case_id], output, judge).score
                    if score is not None:
                        scores[str(output.key)] = score
    return scores


def _judges_of(store: RunStore, labelled: Collection[str]) -> dict[str, str]:
    """Return the judge that the baseline imitates, by labelled item.

    Empty if the baseline itself judged the run.
    """
    judges_asked = [author for author in store.verdicts.standing.authors if isinstance(author, JudgeId)]
    if any(judge.kind == "baseline" for judge in judges_asked) or not any(map(has_rule, judges_asked)):
        return {}
    items: set[str] = set(labelled) | {str(key) for key in store.label_scores}
    judges: dict[str, str] = {}
    for verdict in store.standing_verdicts:
        if verdict.source != "judge":
            if verdict.graded:
                items.add(str(verdict.key))
        elif isinstance(verdict.author, JudgeId) and has_rule(verdict.author):
            judges.setdefault(str(verdict.key), verdict.author.name)
    return {item: judge for item, judge in judges.items() if item in items}


def _inputs_of(store: RunStore) -> RunInputs | None:
    """Return the files of cases and of outputs; None if one of them is missing or has changed."""
    try:
        return store.inputs
    except RunFolderError:
        return None
