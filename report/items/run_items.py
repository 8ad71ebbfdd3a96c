"""Outputs of a run folder with their verdicts; texts are read only for shown items."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...errors import FiducialError
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

_QUERY = 1_000
"""Longest request kept for the list, in characters; the list shows fewer."""
_MOST_CACHED = 10_000
"""Most combinations of verdicts that are cached."""


class _CaseFields(NamedTuple):
    """Case fields shown in a list."""

    category: str
    query: str


class RunItems(Closing):
    """The items of a run, in the order of its outputs.

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
        self._prompts = SentPrompts(store.roster)

    def __iter__(self) -> Iterator[ListedItem]:
        """Yield each output with its verdicts; prompts are read on demand while this is open."""
        standing, cached = self._verdicts.standing, dict[Any, ItemVerdicts]()
        for path in self._outputs:
            read = partial(self._read, path)
            for key, _, offset, _ in keyed_lines(path):
                label = self._labels.get(key)
                combination = standing.combination(key), None if label is None else label.score
                verdicts = cached.get(combination)
                if verdicts is None:
                    if len(cached) == _MOST_CACHED:
                        cached.clear()
                    checker, judges = _checker_and_judges(self._verdicts.summaries_on(key))
                    verdicts = cached[combination] = ItemVerdicts(checker=checker, judges=judges, label=label)
                category, query = self._case_fields[key.case_id]
                yield ListedItem(
                    key=key, category=category, query=query, verdicts=verdicts, offset=offset, read=read
                )

    def close(self) -> None:
        """Close the opened files."""
        self._exit.close()

    def _remember(self, case: Case) -> None:
        self._case_fields[case.id] = _CaseFields(_category(case), cut_at(_query(case), _QUERY))

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
    """Return what the calls of a conversation returned; None if its environments are unknown."""
    try:
        return replay_in({})(case, output)
    except FiducialError:
        return None


def _checker_and_judges(verdicts: list[S]) -> tuple[S | None, list[S]]:
    """Return the checker's verdict, and the first repetition of each judge's."""
    checker = next((verdict for verdict in verdicts if verdict.source == "checker"), None)
    return checker, [verdict for verdict in verdicts if verdict.source == "judge" and verdict.repeat == 0]


def _category(case: Case) -> str:
    category = case.tags.get("category")
    return case.kind if category is None else str(category)


def _query(case: Case) -> str:
    texts = (message_text(message) for message in case.all_messages if message["role"] == "user")
    return "\n\n".join(filter(None, texts))
