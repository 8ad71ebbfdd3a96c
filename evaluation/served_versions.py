"""Versions of decision models, by the names in their replies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from ..records import Author
from .store.journal_rows import StoredVerdict
from .store.run_store import RunStore

UNKNOWN = "unknown version"
"""Version of verdicts without a reply that names one, such as failed calls."""


class ServedVersions:
    """Versions of a run's decision judges, for judges that more than one answered.

    A probability and a threshold belong to one version of a model. Names in replies of chat models vary by route, and
    are not split.
    """

    def __init__(self, store: RunStore) -> None:
        decision_judges = {judge.id for judge in store.roster if judge.api != "chat"}
        counts = defaultdict[Author, Counter[str]](Counter)
        for verdict in store.judge_verdicts() if decision_judges else ():
            if verdict.author in decision_judges:
                counts[verdict.author][verdict.served_by or UNKNOWN] += 1
        self._counts: Mapping[Author, Counter[str]] = {
            author: versions for author, versions in counts.items() if len(versions.keys() - {UNKNOWN}) > 1
        }

    def of(self, verdict: StoredVerdict) -> str:
        """Return the version that gave a verdict; empty for a judge of a single version."""
        return (verdict.served_by or UNKNOWN) if verdict.author in self._counts else ""

    def counts(self, author: Author) -> dict[str, int]:
        """Return the number of verdicts by version; empty for a judge of a single version."""
        return dict(self._counts.get(author, {}))


def version_notes(store: RunStore) -> Iterator[str]:
    """Yield a sentence for each judge of a run that several versions answered."""
    versions = ServedVersions(store)
    for judge in store.roster:
        if counts := versions.counts(judge.id):
            yield f"{versions_sentence(judge.by, counts)}; each is a judge of its own here"


def versions_sentence(judge: str, counts: Mapping[str, int]) -> str:
    """Return the sentence that several versions of a model answered for a judge."""
    versions_text = ", ".join(f"{version} ({count:,} verdicts)" for version, count in counts.items())
    return f"{judge}: several versions of its model answered: {versions_text}"
