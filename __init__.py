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
    from .api.auditing import audit, mutate
    from .api.audits import certify, check_certificate
    from .api.bfcl import score_bfcl
    from .api.checking import check
    from .api.checking_files import check_file
    from .api.differences import diff, history
    from .api.evaluating import aevaluate, evaluate, load_run
    from .api.generating import agenerate, generate
    from .api.importing import import_agbenchmark, import_bfcl
    from .api.judging import judge, jury
    from .api.labels import correct_cases, export_labels
    from .api.measuring import calibrate, compare, estimate
    from .api.merging import merge
    from .api.own import agent, dial, file_format, judge_function, operator, statistic, world
    from .api.planning import plan
    from .api.preferring import prefer
    from .api.reading import Reading, read
    from .api.reviewing import add_labels, review
    from .api.run import Run
    from .api.writing import export
    from .deterministic import Finding, checker
    from .errors import FiducialError
    from .records import Case, Output, ToolCall, Verdict, read_records, write_records

__version__ = VERSION

_HOME = {
    "add_labels": "api.reviewing",
    "aevaluate": "api.evaluating",
    "agenerate": "api.generating",
    "agent": "api.own",
    "assert_rate": "api.assertions",
    "audit": "api.auditing",
    "calibrate": "api.measuring",
    "Case": "records",
    "certify": "api.audits",
    "check": "api.checking",
    "check_certificate": "api.audits",
    "check_file": "api.checking_files",
    "checker": "deterministic",
    "compare": "api.measuring",
    "dial": "api.own",
    "diff": "api.differences",
    "estimate": "api.measuring",
    "correct_cases": "api.labels",
    "evaluate": "api.evaluating",
    "export_labels": "api.labels",
    "FiducialError": "errors",
    "export": "api.writing",
    "file_format": "api.own",
    "Finding": "deterministic",
    "generate": "api.generating",
    "history": "api.differences",
    "import_agbenchmark": "api.importing",
    "import_bfcl": "api.importing",
    "judge": "api.judging",
    "judge_function": "api.own",
    "jury": "api.judging",
    "load_run": "api.evaluating",
    "merge": "api.merging",
    "mutate": "api.auditing",
    "operator": "api.own",
    "statistic": "api.own",
    "Output": "records",
    "plan": "api.planning",
    "prefer": "api.preferring",
    "read": "api.reading",
    "read_records": "records",
    "Reading": "api.reading",
    "review": "api.reviewing",
    "Run": "api.run",
    "score_bfcl": "api.bfcl",
    "ToolCall": "records",
    "Verdict": "records",
    "world": "api.own",
    "write_records": "records",
}

__all__ = [
    "Case",
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
    "generate",
    "history",
    "import_agbenchmark",
    "import_bfcl",
    "judge",
    "judge_function",
    "jury",
    "load_run",
    "merge",
    "mutate",
    "operator",
    "plan",
    "prefer",
    "read",
    "read_records",
    "review",
    "score_bfcl",
    "statistic",
    "world",
    "write_records",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
