"""Data of a report, with all numbers computed: `ReportData`, and its items.

`from_run` collects it and `html` renders it. An item is a `ListedItem` in the list, with `ItemVerdicts`, and a `ReportItem`
once its texts are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..calibration.pass_threshold import PassThreshold
from ..evaluation.conclusion.run_results import ResultStruct
from ..evaluation.conclusion.run_summary import RunSummary
from ..evaluation.store.journal_rows import StoredVerdict
from ..evaluation.store.kept_inputs import KeptInput
from ..records import Author, Case, Episode, ItemKey, Output, Verdict
from .figures.scores import Bin
from .items.sent_prompts import SentPrompt
from .score_thresholds import RatesAtThreshold

MAX_TEXTS = 20_000
"""Most items whose texts a page contains, as far as they fit, unless all are asked for."""


class ReportItem(ResultStruct, frozen=True, kw_only=True):
    """An item with all its texts: an output, its case, and its verdicts.

    Attributes:
        output: The system's output.
        case: Its case.
        checker: The deterministic verdict.
        judges: The judges' verdicts, in the order of the report's judges.
        label: The label, if it is another than the checker's verdict.
        missing: True if the system has no output for the case; ``output`` is then empty.
        prompts: Messages sent to each judge, None for a judge without a prompt; empty if not asked for.
        episode: Results of a conversation's calls in the case's worlds, or None if unknown.
    """

    output: Output
    case: Case
    checker: Verdict | None = None
    judges: list[Verdict] = []
    label: Verdict | None = None
    missing: bool = False
    prompts: list[SentPrompt | None] = []
    episode: Episode | None = None


class ItemVerdicts(ResultStruct, frozen=True, kw_only=True, eq=False):
    """Verdicts on an item in a list; items with equal verdicts share one object.

    Attributes:
        checker: The deterministic verdict, or the part of it that is stored in the index.
        judges: The judges' verdicts, likewise.
        label: The label, if it is another than the checker's verdict.
        missing: True if there is no output.
    """

    checker: Verdict | StoredVerdict | None
    judges: Sequence[Verdict | StoredVerdict]
    label: Verdict | None
    missing: bool = False


class ListedItem(NamedTuple):
    """Item in a list, with a function that reads its texts on demand.

    Attributes:
        key: Key of the output.
        category: Value to filter by: the case's tag ``category``, or its kind.
        query: The request, as text, or its beginning.
        verdicts: The verdicts on it.
        offset: Argument of ``read`` that finds it.
        read: Function that reads the item at an offset with all its texts and, on demand, the messages sent to judges.
    """

    key: ItemKey
    category: str
    query: str
    verdicts: ItemVerdicts
    offset: int
    read: Callable[[int, bool], ReportItem]


class ReportData(RunSummary, frozen=True, kw_only=True):
    """Report except its items, which are passed separately so that they can be streamed.

    Attributes:
        title: Name of what was evaluated.
        created: Time as text (ISO 8601).
        records: Path of the full records, for what the report cuts.
        versions: Version by component.
        inputs: The files that were read.
        thresholds: Pass threshold of each judge; 0.5 for those not named.
        notes: Sentences to show before any number.
        labels: Number of labelled outputs, by source of the label.
        certificates: Sentences on the certificates in the run's folder, by judge.
        scores: Bins of scores with their labels, for judges with other scores than 0 and 1.
        rates: Rates of the same judges at possible pass thresholds.
    """

    title: str
    created: str
    records: str
    versions: dict[str, str] = {}
    inputs: Sequence[KeptInput] = ()
    thresholds: Mapping[Author, PassThreshold] = {}
    notes: list[str] = []
    labels: Mapping[str, int] = {}
    certificates: Mapping[str, list[str]] = {}
    scores: Mapping[str, list[Bin]] = {}
    rates: Mapping[str, list[RatesAtThreshold]] = {}
