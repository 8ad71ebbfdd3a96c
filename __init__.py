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
    from .api.checking import check
    from .api.evaluating import aevaluate, evaluate, load_run
    from .api.generating import agenerate, generate
    from .api.judging import judge
    from .api.measuring import calibrate, compare, estimate
    from .api.own import agent, file_format, judge_function, operator, world
    from .api.planning import plan
    from .api.reading import Reading, read
    from .api.run import Run
    from .deterministic import Finding, checker
    from .errors import FiducialError
    from .records import Case, Output, ToolCall, Verdict, read_records, write_records

__version__ = VERSION

_HOME = {
    "aevaluate": "api.evaluating",
    "agenerate": "api.generating",
    "agent": "api.own",
    "assert_rate": "api.assertions",
    "audit": "api.auditing",
    "calibrate": "api.measuring",
    "mutate": "api.auditing",
    "check": "api.checking",
    "compare": "api.measuring",
    "estimate": "api.measuring",
    "evaluate": "api.evaluating",
    "load_run": "api.evaluating",
    "checker": "deterministic",
    "generate": "api.generating",
    "file_format": "api.own",
    "judge": "api.judging",
    "judge_function": "api.own",
    "operator": "api.own",
    "plan": "api.planning",
    "world": "api.own",
    "Case": "records",
    "FiducialError": "errors",
    "Finding": "deterministic",
    "Output": "records",
    "Reading": "api.reading",
    "Run": "api.run",
    "ToolCall": "records",
    "Verdict": "records",
    "read": "api.reading",
    "read_records": "records",
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
    "aevaluate",
    "agenerate",
    "agent",
    "assert_rate",
    "audit",
    "calibrate",
    "check",
    "checker",
    "compare",
    "estimate",
    "evaluate",
    "file_format",
    "generate",
    "judge",
    "judge_function",
    "load_run",
    "mutate",
    "operator",
    "plan",
    "read",
    "read_records",
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
