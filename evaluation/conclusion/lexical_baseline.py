"""What comparing words alone says of the outputs of a finished run: a baseline for its judges that costs no call."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import RunFolderError
from ...judges.baseline import baseline_verdict, has_rule
from ...records import CaseIndex, JudgeId, Output, read_records
from ..store.kept_inputs import RunInputs
from ..store.run_store import RunStore


def lexical_scores(store: RunStore, labelled: Collection[str] = ()) -> dict[str, float]:
    """Score the labelled outputs of a run, and those that are named, by the lexical baseline, each as its judge's stand-in.

    Returns:
        Score by item (``case_id|system|trial``); where judges of several sorts judged an output, the first one's. Empty when
        the lexical baseline was itself a judge of the run, or the run's inputs are not there as they were.
    """
    judges = _judges_of(store, labelled)
    files = _inputs_of(store) if judges else None
    if files is None:
        return {}
    scores: dict[str, float] = {}
    with CaseIndex(files.cases, again=True) as cases:
        for path in files.outputs:
            for output in read_records(path, Output):
                judge = judges.get(str(output.key))
                if judge is not None:
                    score = baseline_verdict(cases[output.case_id], output, judge).score
                    if score is not None:
                        scores[str(output.key)] = score
    return scores


def _judges_of(store: RunStore, labelled: Collection[str]) -> dict[str, str]:
    """The judge whose stand-in the baseline is, by labelled item; empty when the baseline judged by itself."""
    asked = [author for author in store.verdicts.standing.authors if isinstance(author, JudgeId)]
    if any(judge.kind == "baseline" for judge in asked) or not any(map(has_rule, asked)):
        return {}
    known: set[str] = set(labelled)
    judges: dict[str, str] = {}
    known |= {str(key) for key in store.label_scores}
    for said in store.said:
        if said.source != "judge":
            if said.graded:
                known.add(str(said.key))
        elif isinstance(said.author, JudgeId) and has_rule(said.author):
            judges.setdefault(str(said.key), said.author.name)
    return {item: judge for item, judge in judges.items() if item in known}


def _inputs_of(store: RunStore) -> RunInputs | None:
    """The files of cases and of outputs; None when one of them is gone or has changed."""
    try:
        return store.inputs
    except RunFolderError:
        return None
