"""fiducial scores what AI agents produce.

Whatever a machine can decide exactly, a checker decides; what resists exact matching goes to a judge (a language
model with a prompt template); and because checkers supply trusted labels, every judge is calibrated against them.

Importing this package loads nothing heavy: names are resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .api.assertions import assert_rate
    from .api.auditing import audit
    from .api.audits import certify, check_certificate
    from .api.bfcl import score_bfcl
    from .api.checking import check, check_file
    from .api.decorators import agent, dial, file_format, judge_function, operator, statistic, world
    from .api.differences import diff, history
    from .api.evaluating import aevaluate, evaluate, load_run
    from .api.exporting import export
    from .api.gating import gate
    from .api.generating import agenerate, generate
    from .api.importing import import_agbenchmark, import_bfcl
    from .api.improving import improve
    from .api.judging import judge, jury
    from .api.judging_metrics import judge_from
    from .api.labels import correct_cases, export_labels
    from .api.measured_judges import audit_card, audit_table
    from .api.merging import merge
    from .api.mutating import mutate
    from .api.planning import plan, plan_budget, plan_labels
    from .api.preferring import prefer
    from .api.reading import Reading, read
    from .api.reviewing import add_labels, review
    from .api.rubrics import rubrics
    from .api.run import Run
    from .api.table_statistics import calibrate, compare, estimate
    from .api.trials import trials
    from .deterministic import Finding, checker
    from .errors import ChoiceNeeded, FiducialError
    from .records import Case, Output, ToolCall, Verdict, read_records, write_records

__version__ = VERSION

_HOME = {
    "api.assertions": "assert_rate",
    "api.measured_judges": "audit_card audit_table",
    "api.auditing": "audit",
    "api.audits": "certify check_certificate",
    "api.bfcl": "score_bfcl",
    "api.checking": "check check_file",
    "api.differences": "diff history",
    "api.evaluating": "aevaluate evaluate load_run",
    "api.gating": "gate",
    "api.generating": "agenerate generate",
    "api.importing": "import_agbenchmark import_bfcl",
    "api.improving": "improve",
    "api.judging": "judge jury",
    "api.judging_metrics": "judge_from",
    "api.labels": "correct_cases export_labels",
    "api.table_statistics": "calibrate compare estimate",
    "api.merging": "merge",
    "api.mutating": "mutate",
    "api.decorators": "agent dial file_format judge_function operator statistic world",
    "api.planning": "plan plan_budget plan_labels",
    "api.preferring": "prefer",
    "api.reading": "read Reading",
    "api.reviewing": "add_labels review",
    "api.rubrics": "rubrics",
    "api.run": "Run",
    "api.trials": "trials",
    "api.exporting": "export",
    "deterministic": "checker Finding",
    "errors": "ChoiceNeeded FiducialError",
    "records": "Case Output read_records ToolCall Verdict write_records",
}
"""Public names by the module that has them."""

__all__ = [
    "Case",
    "ChoiceNeeded",
    "FiducialError",
    "Finding",
    "Output",
    "Reading",
    "Run",
    "ToolCall",
    "Verdict",
    "__version__",
    "add_labels",
    "aevaluate",
    "agenerate",
    "agent",
    "assert_rate",
    "audit",
    "audit_card",
    "audit_table",
    "calibrate",
    "certify",
    "check",
    "check_certificate",
    "check_file",
    "checker",
    "compare",
    "correct_cases",
    "dial",
    "diff",
    "estimate",
    "evaluate",
    "export",
    "export_labels",
    "file_format",
    "gate",
    "generate",
    "history",
    "import_agbenchmark",
    "import_bfcl",
    "improve",
    "judge",
    "judge_from",
    "judge_function",
    "jury",
    "load_run",
    "merge",
    "mutate",
    "operator",
    "plan",
    "plan_budget",
    "plan_labels",
    "prefer",
    "read",
    "read_records",
    "review",
    "rubrics",
    "score_bfcl",
    "statistic",
    "trials",
    "world",
    "write_records",
]


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOME.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
