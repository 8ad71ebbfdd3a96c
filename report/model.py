"""Report data: filled by the pipeline, rendered by `html` and by the terminal.

All numbers are computed before.
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

MOST_TEXTS = 1_000
"""Items whose texts a page holds, unless it is asked for more."""


class ReportItem(ResultStruct, frozen=True, kw_only=True):
    """One output with everything that was said of it.

    Attributes:
        output: What the system produced.
        case: What was to be done.
        checker: The deterministic verdict.
        judges: The judges' verdicts, in the order of the report's judges.
        label: The trusted verdict, where it is not the checker's own.
        prompts: What each judge was sent, None of one that is sent nothing; empty where that was not wanted.
        episode: What the calls of a conversation returned in the case's worlds; None where that is not known.
    """

    output: Output
    case: Case
    checker: Verdict | None = None
    judges: list[Verdict] = []
    label: Verdict | None = None
    prompts: list[SentPrompt | None] = []
    episode: Episode | None = None


class ItemVerdicts(ResultStruct, frozen=True, kw_only=True, eq=False):
    """Verdicts on an item as shown in a list; items with equal verdicts share one object.

    Attributes:
        checker: The deterministic verdict, or what is known of it without reading it.
        judges: The judges' verdicts, likewise.
        label: The trusted verdict, where it is not the checker's own.
    """

    checker: Verdict | StoredVerdict | None
    judges: Sequence[Verdict | StoredVerdict]
    label: Verdict | None


class Candidate(NamedTuple):
    """Item as shown in a list, with the means to read the rest on demand.

    Attributes:
        key: Which output it is.
        category: A slice to filter by: the case's ``category`` tag, or its kind.
        query: The request, as text, or its beginning.
        verdicts: The verdicts on it.
        place: Where it is read.
        read: Reads what is at a place with all its texts, and, where it is told to, with what judges were sent.
    """

    key: ItemKey
    category: str
    query: str
    verdicts: ItemVerdicts
    place: int
    read: Callable[[int, bool], ReportItem]


class ReportData(RunSummary, frozen=True, kw_only=True):
    """Report without its items, which are passed separately so that they can be streamed.

    Attributes:
        title: What was evaluated.
        created: When, as text (ISO 8601).
        records: Where the full records are, for what the report does not show.
        versions: Name of a component to its version.
        inputs: The files that were read.
        thresholds: Pass threshold of each judge; 0.5 for those not named.
        notes: Sentences a reader must see before any number.
        labels: How many outputs have a label, by who gave it.
        certificates: What certificates in the run's folder say of its judges, by judge.
        scores: Groups of like scores beside labels, of judges whose scores are more than 0 and 1.
        rates: Rates of the same judges at each pass threshold.
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
