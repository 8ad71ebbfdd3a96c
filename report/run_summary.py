"""Data behind the first answers, and the type of an answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import msgspec

from ..calibration.agreement.calibration_results import CalibrationNumbers
from ..calibration.comparison.comparison_results import ComparisonNumbers, Strata
from ..evaluation.conclusion.run_results import JudgeUse, SystemResult


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer.

    Attributes:
        text: In a sentence or two, with its numbers.
        evidence: The section of the report that shows it.
        command: What to type; empty where there is nothing.
        address: The very items that it speaks of, in the report, ``#CASE/SYSTEM/TRIAL`` or ``#items?...``; empty where it speaks of none.
    """

    text: str
    evidence: str
    command: str = ""
    address: str = ""


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Data behind the first answers.

    Attributes:
        systems: What a run says of each system.
        judges: What each judge was used for.
        calibration: How far they agree with the labels.
        compared: The systems against each other, where there are several.
        folder: Where the run is kept, for commands; empty where that is in memory.
        command: The command of the run, or the function.
    """

    systems: Sequence[SystemResult]
    judges: Sequence[JudgeUse] = ()
    calibration: CalibrationNumbers | None = None
    compared: ComparisonNumbers | None = None
    folder: str = "RUN"
    command: str = ""

    @property
    def strata(self) -> Strata | None:
        """The systems against each other part by part, where there are several."""
        return None if self.compared is None else self.compared.strata

    @property
    def agreement(self) -> CalibrationNumbers:
        """Agreement of judges with labels; empty if there are no labels."""
        return self.calibration or CalibrationNumbers()

    @property
    def baselines(self) -> list[str]:
        """The judges that read nothing."""
        return [use.name for use in self.judges if use.id is not None and use.id.kind == "baseline"]

    @property
    def typed(self) -> list[str]:
        """Return the words of the command, as a shell reads them; none of what no shell would read."""
        try:
            return shlex.split(self.command)
        except ValueError:
            return []

    @property
    def resumes(self) -> bool:
        """Return whether rerunning the command resumes the run.

        A merge or an import of batch results only repeats its result.
        """
        return self.command.startswith("fiducial.") or self.typed[1:2] in (["run"], ["judge"], ["demo"])

    def again(self, options: str = "", arguments: str = "") -> str:
        """Return the command that reruns this run with more options; empty if it takes none.

        In Python, ``arguments`` are added to the call instead of ``options``.
        """
        if self.command.startswith("fiducial."):
            return f"fd.evaluate({', '.join(['...', *([arguments] if arguments else [])])})"
        if not self.resumes or (options and self.typed[1] == "demo"):
            return ""
        return f"{self.command} {options}".rstrip()

    def reviewed(self, options: str = "") -> str:
        """Return the command that shows a person its items.

        For a run in memory, return the call that gives it a folder first.
        """
        return (
            f"fiducial review {shlex.quote(self.folder)} {options}".rstrip()
            if self.folder
            else self.again(arguments='out="RUN"')
        )
