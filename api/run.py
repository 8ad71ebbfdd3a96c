"""Run results: rates, calibration, verdicts and report, displayed by notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..errors import RunFolderError, UsageError, as_named
from ..evaluation.conclusion.run_results import ALL, CORRECTED, DECIDED, StratumRate, SystemResult
from ..evaluation.conclusion.run_summary import RunSummary, summary_of
from ..evaluation.judging.judge_names import judge_order
from ..evaluation.store.file_names import AUDIT
from ..evaluation.store.run_store import RunStore
from ..records import Author, FolderPath, ItemKey, Verdict
from ..report.document import Document
from ..report.first_answers import Answers, answers, run_document
from ..report.model import MAX_TEXTS
from .display import Displayed, verdicts_frame
from .inert_text import inert
from .paths import FilePath, folder_path, put_back, written_path
from .table_results import Calibration
from .terminal_text import visible

if TYPE_CHECKING:
    import pandas as pd


def is_audit(folder: Path) -> bool:
    """Return whether a run's folder contains an audit, which `audits.load_audit` reads."""
    return (folder / AUDIT).exists()


def folder_of(run: Run | FilePath) -> FolderPath:
    """Return the folder of a run, on disk or in memory."""
    return run.kept if isinstance(run, Run) else folder_path(run)


def disk_folder_of(run: Run | FilePath, purpose: str) -> Path:
    """Return the folder of a run on disk.

    Raises:
        UsageError: The run is only in memory; the message names the purpose.
    """
    folder = folder_of(run)
    if not isinstance(folder, Path):
        raise UsageError(f"this run is only in memory: evaluate with out=FOLDER to {purpose} it")
    return folder


class Rate(StratumRate, frozen=True, kw_only=True, dict=True):
    """Rate of a run: a statistic with access to the outputs behind it."""

    @property
    def failures(self) -> list[Verdict]:
        """Verdicts below 1 behind this rate, lowest first; empty for a rate without a run."""
        run: Run | None = vars(self).get("run")
        return [] if run is None else run.failures(self)


class SystemRates(msgspec.Struct, frozen=True, kw_only=True):
    """Rates of one system: of all its outputs, and part by part.

    Attributes:
        name: The system's name.
        decided: Pass rate of the outputs that checkers decided.
        overall: Pass rate of all outputs, by checkers if they decide, else by one judge; undefined if too many are ungraded.
        open: Pass rate of the outputs that no checker decided (all in a run without checkers), by judge, uncorrected.
        corrected: The rates of ``open``, by judge, corrected with labels drawn at random from the undecided outputs; empty without
            such labels.
        missing: Number of cases without an output.
        faults: Number of outputs by error type, as found by the checkers.
    """

    name: str
    overall: Rate
    decided: Rate
    open: Mapping[str, Rate]
    corrected: Mapping[str, Rate]
    missing: int
    faults: Mapping[str, int]


class SystemsByName(dict[str, SystemRates]):
    """Rates of systems; an unknown name raises a KeyError that lists the known ones."""

    def __missing__(self, name: str) -> SystemRates:
        raise KeyError(f"no system {name!r}; there are {', '.join(map(repr, self))}")


class Run(Displayed):
    """Results of an evaluation; made by `fiducial.evaluate` and `fiducial.load_run`.

    Further results are properties: ``answers``, ``calibration``, ``verdicts``.

    Args:
        kept: The run folder.

    Attributes:
        kept: The run folder; in memory if no folder was given.
        systems: The rates of each system, by its name.
        judges: Outcomes, calls, tokens and cost of each judge.
        cuts: Pass threshold of each judge, by its name.

    Raises:
        RunFolderError: It is not a run folder, or the run was not concluded.
    """

    def __init__(self, kept: FolderPath) -> None:
        self.kept = kept
        store = RunStore(kept)
        store.require_no_pairs()
        manifest = store.manifest
        if manifest.results is None:
            raise RunFolderError(f"{kept}: the run is not finished; evaluate again to continue")
        self.judges = manifest.judges or []
        self.cuts = {known_judge.by: known_judge.threshold for known_judge in manifest.roster}
        self.systems = SystemsByName((result.system, self._rates(result)) for result in manifest.results)

    @property
    def folder(self) -> Path | None:
        """Folder of the run, or None if the run is only in memory."""
        return self.kept if isinstance(self.kept, Path) else None

    @cached_property
    def calibration(self) -> Calibration:
        """Agreement of each judge with the labels, by name; empty if no judged output has a label."""
        calibration = RunStore(self.kept).calibration
        return Calibration() if calibration is None else calibration

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts of checkers and judges, one per output, author and repetition."""
        with RunStore(self.kept) as store:
            return list(store.verdicts.read())

    def failures(self, rate: StratumRate) -> list[Verdict]:
        """Return the verdicts below 1 behind a rate of this run, lowest first."""
        if rate.name.startswith(ALL):
            return self._failures_overall(vars(rate).get("system"))
        authors = {use.name: use.id or use.name for use in self.judges}
        judge = None if rate.name == DECIDED or rate.by is None else authors.get(rate.by)
        verdicts = [verdict for verdict in self.verdicts if _is_behind(verdict, rate, judge)]
        if rate.name != DECIDED and any(verdict.source == "checker" for verdict in self.verdicts):
            open_items = _open_items(self.verdicts)
            verdicts = [verdict for verdict in verdicts if verdict.key in open_items]
        below_one = (verdict for verdict in verdicts if verdict.score is not None and verdict.score < 1)
        return sorted(below_one, key=_score)

    def _failures_overall(self, system: str | None) -> list[Verdict]:
        """Return the verdicts below 1 behind the rate of all outputs.

        The checker's verdict counts, or else that of the first judge in `judge_order`.
        """
        with RunStore(self.kept) as store:
            judges = judge_order(store.roster, store.calibration)
        ranks: dict[Author, int] = {judge: rank for rank, judge in enumerate(judges)}
        deciding_verdicts: dict[ItemKey, _RankedVerdict] = {}
        for verdict in self.verdicts:
            if verdict.score is None or verdict.repeat or system not in {None, verdict.system}:
                continue
            # Checkers come before every judge, unknown judges after all known ones.
            rank = -1 if verdict.source == "checker" else ranks.get(verdict.author, len(ranks))
            if verdict.key not in deciding_verdicts or rank < deciding_verdicts[verdict.key].rank:
                deciding_verdicts[verdict.key] = _RankedVerdict(rank, verdict)
        failures = (verdict for _, verdict in deciding_verdicts.values() if (verdict.score or 0) < 1)
        return sorted(failures, key=_score)

    def to_dict(self) -> dict[str, Any]:
        """Return the rates of the systems and the use of the judges as JSON-compatible values."""
        return {
            "folder": None if self.folder is None else str(self.folder),
            "systems": msgspec.to_builtins(dict(self.systems)),
            "judges": msgspec.to_builtins(self.judges),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per verdict; a missing score is None."""
        return verdicts_frame(self.verdicts)

    def report(self, path: FilePath | None = None, *, texts: int | None = MAX_TEXTS) -> Path:
        """Write the HTML report.

        Args:
            path: The file; by default ``report.html`` in the run's folder.
            texts: Number of items whose texts the page holds, most important first, as far as they fit; None for all. All items are listed.

        Returns:
            The file.

        Raises:
            UsageError: No file is named, and the run is only in memory.
            RunFolderError: The inputs were moved or changed.
        """
        if path is None and self.folder is None:
            raise UsageError("this run is only in memory: name the file of its report")
        target = written_path(path) if path is not None else self.kept / "report.html"
        assert isinstance(target, Path)
        from ..report.from_run import report_on  # noqa: PLC0415 - the template engine is slow to import

        with put_back(self.kept):
            report_on(self.kept, target, texts=texts)
        return target

    def require_unedited(self) -> None:
        """Refuse a run edited by hand with a `RunFolderError` that names file and lines."""
        with RunStore(self.kept) as store:
            store.require_unedited()

    @cached_property
    def answers(self) -> Answers:
        """Best system, trusted judges and next step, by the rules of docs/report.md."""
        return answers(self._summary)

    @cached_property
    def _summary(self) -> RunSummary:
        with RunStore(self.kept) as store:
            return summary_of(store)

    def document(self) -> Document:
        """Return a one-screen summary."""
        return run_document(self._summary)

    def _repr_html_(self) -> str:
        from ..report.overview import overview_figures  # noqa: PLC0415 - for a notebook alone
        from ..report.page import notebook_cell  # noqa: PLC0415 - for a notebook alone

        figures = overview_figures(self._summary.systems, self._summary.compared)
        return notebook_cell([*self.document(), figures])

    def __repr__(self) -> str:
        where = "in memory" if self.folder is None else as_named(f"in {self.folder}")
        return inert(f"<run {where}: {visible(self.answers.better.text)}>")

    def _rates(self, result: SystemResult) -> SystemRates:
        rates = [self._rate(result.system, stratum) for stratum in result.strata]
        decided_rate = next((rate for rate in rates if rate.name == DECIDED), None)
        if decided_rate is None:
            unchecked = StratumRate(name=DECIDED, n=0, of=0, undefined="no checker was asked")
            decided_rate = self._rate(result.system, unchecked)
        judged_rates = [rate for rate in rates if rate.by is not None]
        return SystemRates(
            name=result.system,
            overall=self._rate(result.system, result.overall or _NOTHING_GRADED),
            decided=decided_rate,
            open={str(rate.by): rate for rate in judged_rates if rate.name != CORRECTED},
            corrected={str(rate.by): rate for rate in judged_rates if rate.name == CORRECTED},
            missing=result.missing,
            faults=result.faults,
        )

    def _rate(self, system: str, stratum: StratumRate) -> Rate:
        rate = Rate(**{name: getattr(stratum, name) for name in stratum.__struct_fields__})
        vars(rate).update(run=self, system=system)  # not fields, so that JSON leaves them out
        return rate


class _RankedVerdict(NamedTuple):
    """Verdict on an output, with the rank of its author; the lowest rank decides."""

    rank: int
    verdict: Verdict


_NOTHING_GRADED = StratumRate(name=ALL, n=0, of=0, undefined="nothing was graded")


def _is_behind(verdict: Verdict, rate: StratumRate, judge: Author | None) -> bool:
    if vars(rate).get("system", verdict.system) != verdict.system:
        return False
    return verdict.source == "checker" if judge is None else verdict.author == judge


def _open_items(verdicts: list[Verdict]) -> set[ItemKey]:
    return {
        verdict.key for verdict in verdicts if verdict.source == "checker" and verdict.outcome == "undecided"
    }


def _score(verdict: Verdict) -> float:
    """Return a sort key; verdicts without a score come first."""
    return -1.0 if verdict.score is None else verdict.score
