"""Alternative annotator test of judges against people, on verdict files.

Source: Calderon, Reichart and Dror 2025; see `alt_test`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from ...calibration.agreement.alt_test import AltTest, Likeness, alt_test
from ...errors import UsageError
from ...records import ItemKey, ShownNames, Verdict, read_records
from ..store.file_names import CLUSTERS
from ..store.run_store import read_clusters

EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""Handicaps of the annotators at which the test is reported; all of them, so that none is cherry-picked."""


class Annotations(msgspec.Struct, frozen=True):
    """Scores by output and annotator.

    Attributes:
        people: Names of people, in order of appearance.
        judges: Names of judges, in order of appearance.
        scores: Scores by output, then by name.
        clusters: Cluster of each case that is not a cluster by itself.
    """

    people: list[str]
    judges: list[str]
    scores: dict[ItemKey, dict[str, float]]
    clusters: dict[str, str] = {}


class AlternativeAnnotator(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's test at each handicap; annotators are numbered by position in ``people``."""

    judge: str
    people: list[str]
    by_epsilon: list[AltTest]


def read_annotations(files: Iterable[Path]) -> Annotations:
    """Read graded verdicts of people and judges, without later repeats.

    Args:
        files: Files of verdicts, such as the labels of each person and a run's ``verdicts.jsonl``. Clusters are read from their folders.

    Raises:
        InputError: A file cannot be read.
        UsageError: There are fewer than two people, or there is no judge.
    """
    # Dicts serve as ordered sets.
    names: dict[str, dict[str, None]] = {"human": {}, "judge": {}}
    scores: dict[ItemKey, dict[str, float]] = {}
    shown_names, clusters = ShownNames(), dict[str, str]()
    for path in files:
        clusters |= read_clusters(path.parent / CLUSTERS)
        for verdict in read_records(path, Verdict):
            if verdict.source in names and verdict.score is not None and verdict.repeat == 0:
                name = shown_names.of(verdict.author, verdict.by)
                names[verdict.source][name] = None
                scores.setdefault(verdict.key, {})[name] = verdict.score
    people, judges = list(names["human"]), list(names["judge"])
    if len(people) < 2 or not judges:  # noqa: PLR2004 - each is compared with the others
        raise UsageError(
            f"expected verdicts of at least two people and one judge, got people: {len(people)}, judges: {len(judges)}"
        )
    return Annotations(people, judges, scores, clusters)


def alternative_annotators(
    annotations: Annotations, *, likeness: Likeness = "equal"
) -> list[AlternativeAnnotator]:
    """Run the alternative annotator test for each judge, at every one of `EPSILONS`.

    Outputs for one case, or for cases of one cluster, count as dependent.
    """
    rows = list(annotations.scores.values())
    cluster_names = [annotations.clusters.get(key.case_id, key.case_id) for key in annotations.scores]
    cluster = np.unique(cluster_names, return_inverse=True)[1]
    people = np.array(
        [[row.get(name, np.nan) for name in annotations.people] for row in rows], dtype=np.float64
    )
    results: list[AlternativeAnnotator] = []
    for judge in annotations.judges:
        scores = np.array([row.get(judge, np.nan) for row in rows], dtype=np.float64)
        tests = [
            alt_test(people, scores, epsilon=epsilon, likeness=likeness, cluster=cluster)
            for epsilon in EPSILONS
        ]
        results.append(AlternativeAnnotator(judge=judge, people=annotations.people, by_epsilon=tests))
    return results
