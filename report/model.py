"""What a report shows: filled by the pipeline, rendered by `html` and by the terminal; numbers are computed before."""

from __future__ import annotations

from typing import Any

import msgspec

from ..records import Outcome, Output, Source, Verdict


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what a report is made of: frozen, named fields."""


class InputFile(Part, frozen=True, kw_only=True):
    """A file that was read: as it was named, the hash of its bytes, how many records it holds."""

    name: str
    sha256: str
    rows: int


class Stratum(Part, frozen=True, kw_only=True):
    """A rate over one part of a system's items.

    Attributes:
        name: Which part, and who decided it: ``checker decided``, ``open: judge's rate, uncorrected``.
        by: The checker or judge whose scores are averaged.
        value: Mean score in [0, 1]; None when undefined.
        low: Lower end of the interval.
        high: Upper end of the interval.
        n: Rows behind the value: those that are graded.
        of: Rows in this part, graded or not.
        outcomes: The rows that are not graded, by outcome; ``missing`` counts cases without an output.
        bounds: The rate if everything not graded were wrong, and if it were all right.
        undefined: Why there is no value.
        note: What a reader must know to read the number.
        level: Level of the interval.
        method: How the interval was made.
    """

    name: str
    n: int
    of: int
    by: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    outcomes: dict[str, int] = {}
    bounds: tuple[float, float] | None = None
    undefined: str | None = None
    note: str | None = None
    level: float = 0.95
    method: str | None = None


class SystemResult(Part, frozen=True, kw_only=True):
    """What is said of one system.

    Attributes:
        system: Its name.
        strata: Its rates, one a part; never pooled, because the parts differ in who decided them.
        outcomes: How many verdicts of each outcome, by source of the verdict.
        missing: Cases without an output.
        faults: How often each error type was found by the checker.
    """

    system: str
    strata: list[Stratum]
    outcomes: dict[Source, dict[Outcome, int]] = {}
    missing: int = 0
    faults: dict[str, int] = {}


class JudgeUse(Part, frozen=True, kw_only=True):
    """One judge: what it is exactly, what it said how often, what it cost."""

    name: str
    fingerprint: str
    outcomes: dict[Outcome, int]
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    """Verdicts that cost nothing now, because the reply was cached or recorded."""
    seconds: float | None = None


class ReportItem(Part, frozen=True, kw_only=True):
    """One output with everything that was said of it.

    Attributes:
        output: What the system produced.
        query: The request, as text.
        category: A slice to filter by, such as the case's ``category`` tag or its kind.
        checker: The deterministic verdict.
        judges: The judges' verdicts, in the order of the report's judges.
        label: The trusted verdict, where it is not the checker's own.
        tools: Function documents, in OpenAI's outer shape.
        reference: What a right answer is, as in the case.
    """

    output: Output
    query: str
    category: str | None = None
    checker: Verdict | None = None
    judges: list[Verdict] = []
    label: Verdict | None = None
    tools: list[dict[str, Any]] = []
    reference: dict[str, Any] = {}


class ReportData(Part, frozen=True, kw_only=True):
    """A report without its items, which are passed beside it as an iterable so that they can be streamed.

    Attributes:
        title: What was evaluated.
        created: When, as text (ISO 8601).
        command: The command that was run.
        records: Where the full records are, for what the report does not show.
        versions: Name of a component to its version.
        inputs: The files that were read.
        systems: The systems' results, in the order in which they are shown.
        judges: The judges that were used.
        calibration: As ``calibrate --json`` writes it.
        pass_at: From which score on a verdict counts as a pass.
        notes: Sentences a reader must see before any number.
    """

    title: str
    created: str
    command: str
    records: str
    versions: dict[str, str] = {}
    inputs: list[InputFile] = []
    systems: list[SystemResult] = []
    judges: list[JudgeUse] = []
    calibration: dict[str, Any] | None = None
    pass_at: float = 0.5
    notes: list[str] = []
