"""Items of a run folder: outputs with their verdicts, whose texts are read on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...errors import FiducialError
from ...evaluation.cases_asked import cases_asked, logged_cases
from ...evaluation.inputs import keyed_lines
from ...evaluation.judging.judge_task import replay_in
from ...evaluation.store.journal_rows import StoredVerdict
from ...evaluation.store.run_store import RunStore
from ...records import (
    Case,
    CaseIndex,
    Closing,
    Episode,
    InputPath,
    ItemKey,
    OpenFiles,
    Output,
    Verdict,
    decode_record,
    message_text,
)
from ...tables.standing_labels import standing_labels
from ..model import ItemVerdicts, ListedItem, ReportItem
from ..text.safe_text import cut_at
from .sent_prompts import SentPrompts

S = TypeVar("S", bound=Verdict | StoredVerdict)

_MAX_QUERY_CHARS = 1_000
"""Longest request that is kept for the list; the list shows less of the request."""
_MAX_CACHED = 10_000
"""Most combinations of verdicts that are kept to be shared by items."""


class _CaseFields(NamedTuple):
    """Fields of a case that a list shows."""

    category: str
    query: str


class RunItems(Closing):
    """The items of a run in the order of its outputs; `with_missing` adds missing ones.

    Raises:
        RunFolderError: The inputs were moved or changed.
    """

    def __init__(self, store: RunStore) -> None:
        inputs = store.inputs
        self._outputs = inputs.outputs
        self._exit = ExitStack()
        self._lines = self._exit.enter_context(OpenFiles())
        self._labels = standing_labels(store.labels)
        self._case_fields: dict[str, _CaseFields] = {}
        self._cases = self._exit.enter_context(CaseIndex(inputs.cases, self._remember, validated=True))
        self._verdicts = store.verdicts
        self._cached: dict[Any, ItemVerdicts] = {}
        self._prompts = SentPrompts(store.roster)

    def __iter__(self) -> Iterator[ListedItem]:
        """Yield each output with its verdicts; its texts can be read while this is open."""
        for path in self._outputs:
            yield from self._items_in(path)

    def _items_in(self, path: InputPath) -> Iterator[ListedItem]:
        read = partial(self._read, path)
        for key, _, offset, _ in keyed_lines(path):
            yield self._listed_item(key, self._verdicts_on(key), offset, read)

    def _listed_item(
        self, key: ItemKey, verdicts: ItemVerdicts, offset: int, read: Callable[[int, bool], ReportItem]
    ) -> ListedItem:
        category, query = self._case_fields[key.case_id]
        return ListedItem(
            key=key, category=category, query=query, verdicts=verdicts, offset=offset, read=read
        )

    def _verdicts_on(self, key: ItemKey) -> ItemVerdicts:
        """Return the verdicts on an output; outputs with the same combination share one object."""
        label = self._labels.get(key)
        combination = self._verdicts.standing.combination(key), None if label is None else label.score
        verdicts = self._cached.get(combination)
        if verdicts is None:
            if len(self._cached) == _MAX_CACHED:
                self._cached.clear()
            checker, judges = _checker_and_judges(self._verdicts.summaries_on(key))
            verdicts = self._cached[combination] = ItemVerdicts(checker=checker, judges=judges, label=label)
        return verdicts

    def with_missing(self) -> Iterator[ListedItem]:
        """Yield each output, then each case that a system was asked and did not answer."""
        answered_cases: dict[str, set[int]] = {}
        systems_sharing_files = set[str]()
        for path in self._outputs:
            systems = set[str]()
            for item in self._items_in(path):
                systems.add(item.key.system)
                answered_cases.setdefault(item.key.system, set()).add(
                    self._cases.facts(item.key.case_id).position
                )
                yield item
            systems_sharing_files |= systems if len(systems) > 1 else set()
        cases_of_systems = cases_asked(
            answered_cases, len(self._cases), logged_cases(self._cases, answered_cases, systems_sharing_files)
        )
        missing_keys = [
            ItemKey(case_id, system, 0)
            for system, ids in cases_of_systems.all_missing_cases(answered_cases, self._cases).items()
            for case_id in ids
        ]
        no_verdicts = ItemVerdicts(checker=None, judges=[], label=None, missing=True)

        # A missing item has no line in a file: its number takes the place of an offset.
        def read(number: int, _: bool) -> ReportItem:  # noqa: FBT001 - called like `_read`
            case_id, system = missing_keys[number][:2]
            output = Output(case_id=case_id, system=system)
            return ReportItem(output=output, case=self._cases[case_id], missing=True)

        for number, key in enumerate(missing_keys):
            yield self._listed_item(key, no_verdicts, number, read)

    def close(self) -> None:
        """Close the files of outputs and cases."""
        self._exit.close()

    def _remember(self, case: Case) -> None:
        self._case_fields[case.id] = _CaseFields(_category(case), cut_at(_query(case), _MAX_QUERY_CHARS))

    def _read(self, path: InputPath, offset: int, with_prompts: bool) -> ReportItem:  # noqa: FBT001 - bound by position
        output = decode_record(self._lines.read_line(path, offset), Output, path=path)
        checker, judges = _checker_and_judges(self._verdicts.verdicts_on(output.key))
        case = self._cases[output.case_id]
        return ReportItem(
            output=output,
            case=case,
            checker=checker,
            judges=judges,
            label=self._labels.get(output.key),
            prompts=[self._prompts.of(verdict, case, output) for verdict in judges] if with_prompts else [],
            episode=_episode(case, output),
        )


def _episode(case: Case, output: Output) -> Episode | None:
    """Return the results of replaying a conversation's calls; None in unknown environments."""
    try:
        return replay_in({})(case, output)
    except FiducialError:
        return None


def _checker_and_judges(verdicts: list[S]) -> tuple[S | None, list[S]]:
    checker = next((verdict for verdict in verdicts if verdict.source == "checker"), None)
    return checker, [verdict for verdict in verdicts if verdict.source == "judge" and verdict.repeat == 0]


def _category(case: Case) -> str:
    category = case.tags.get("category")
    return case.kind if category is None else str(category)


def _query(case: Case) -> str:
    texts = (message_text(message) for message in case.all_messages if message["role"] == "user")
    return "\n\n".join(filter(None, texts))
