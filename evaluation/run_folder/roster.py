"""The judges of a run, as its manifest knows them: each by its id, with the name it is shown under from now on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from ...calibration.cuts import Cut, PassAt
from ...errors import RecordError, RunFolderError
from ...records import Author, FolderPath, JudgeId, Kind

ROSTER = "roster"
"""Where in the manifest they are."""


class KnownJudge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judge of a run.

    Attributes:
        by: The name it is shown under, which stays.
        id: Who it is.
        kinds: The kinds of case it is asked about; None for every kind.
        prompt: The prompt file, of one of the user's own.
        cut: From which score on its verdicts pass.
        seconds: How long asking it has taken, over all starts of the run that were not killed; None when nobody was asked.
    """

    by: str
    id: JudgeId
    kinds: tuple[Kind, ...] | None = None
    prompt: str | None = None
    cut: Cut = Cut()
    seconds: float | None = None

    def judges_kind(self, kind: Kind) -> bool:
        """Whether it is asked about a kind of case."""
        return self.kinds is None or kind in self.kinds


class Roster:
    """The judges of a run by their ids.

    Args:
        manifest: What the run's manifest holds.

    Raises:
        RecordError: The manifest's list of judges is damaged.
    """

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        try:
            known = msgspec.convert(manifest.get(ROSTER, []), list[KnownJudge])
        except msgspec.ValidationError as error:
            raise RecordError(f"{ROSTER}: {error}") from error
        self._judges = {judge.id: judge for judge in known}
        self._before = any(key.startswith("judge ") for key in manifest.get("identity", {}))

    def __iter__(self) -> Iterator[KnownJudge]:
        """The judges, in the order in which they were enlisted."""
        return iter(self._judges.values())

    def __getitem__(self, judge: JudgeId) -> KnownJudge:
        return self._judges[judge]

    def judges_kind(self, judge: Author, kind: Kind) -> bool:
        """Whether a judge is asked about a kind of case; of one that is not known, so it may be."""
        known = self._judges.get(judge) if isinstance(judge, JudgeId) else None
        return known is None or known.judges_kind(kind)

    def get(self, judge: JudgeId) -> KnownJudge | None:
        """What is known of a judge; None for one that is no judge of this run."""
        return self._judges.get(judge)

    def refuse_changed(self, judges: Collection[KnownJudge], folder: FolderPath) -> None:
        """Refuse what would mix a judge with what it was before: the same prompt or the same name, and another fingerprint.

        Args:
            judges: Who is to judge now.
            folder: Of the run, for the message.

        Raises:
            RunFolderError: One of them is no longer who it was.
        """
        if self._before:
            raise RunFolderError(
                f"{folder}: made by a version that did not write down who judged; choose another --out"
            )
        now = {judge.id for judge in judges}
        for judge in judges:
            for earlier in self:
                if earlier.id not in now and _takes_the_place_of(judge, earlier):
                    raise RunFolderError(
                        f"{folder}: made by a run that differs in judge {earlier.by}; choose another --out, or remove it"
                    )

    def enlist(self, judge: KnownJudge) -> None:
        """Add a judge, or put what is known of it now in the place of what was."""
        self._judges[judge.id] = judge

    def rename(self, ids: Mapping[JudgeId, JudgeId]) -> None:
        """Put what judges are now in the place of what they were; they keep the names they are shown under."""
        self._judges = {
            ids.get(judge.id, judge.id): msgspec.structs.replace(judge, id=ids.get(judge.id, judge.id))
            for judge in self
        }

    @property
    def cuts(self) -> dict[Author, Cut]:
        """From which score on the verdicts of each judge pass."""
        return {judge.id: judge.cut for judge in self}

    def cut_at(self, told: PassAt) -> None:
        """Hold judges to cuts that are told now.

        Args:
            told: What is said; a judge of which nothing is said keeps its cut.
        """
        for judge in list(self):
            cut = told.of([judge.by, judge.id.plain], judge.cut)
            self.enlist(msgspec.structs.replace(judge, cut=cut))

    def entries(self) -> list[Any]:
        """The judges as the manifest holds them."""
        return msgspec.to_builtins(list(self))


def _takes_the_place_of(judge: KnownJudge, earlier: KnownJudge) -> bool:
    """Whether one judge is what has become of another: its prompt file was changed, or fiducial was."""
    before, now = earlier.id, judge.id
    if (before.kind, before.model) != (now.kind, now.model):
        return False
    if now.kind == "own":
        return judge.prompt == earlier.prompt
    if now.kind in {"jury", "share"}:
        return judge.by == earlier.by
    return (before.name, before.variant) == (now.name, now.variant)
