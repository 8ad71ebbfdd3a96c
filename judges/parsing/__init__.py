"""Read judges' replies: one module per reply form, chosen by the prompt's ``parse:``.

Reading is strict. An answer may contain what looks like a score, and a judge may quote it, so the score is looked for outside the
reasons. A reply is unreadable if it has no score, a score that is not on the scale, or something else that looks like a score. An
unreadable reply never becomes a score.
"""

from ..prompt_file import CRITERIA, STATEMENTS, STEP
from .criteria_reply import criteria_parser
from .declared_parser import LOGPROBS, inferred_parse, make_parser, parser_version
from .parsed_reply import ParsedReply, ReplyParser
from .refusal import is_refusal
from .split_reply import statements_parser
from .step_reply import STEP_COUNT, STEP_NAMED, bounded_step_parser

__all__ = [
    "CRITERIA",
    "LOGPROBS",
    "STATEMENTS",
    "STEP",
    "STEP_COUNT",
    "STEP_NAMED",
    "ParsedReply",
    "ReplyParser",
    "bounded_step_parser",
    "criteria_parser",
    "inferred_parse",
    "is_refusal",
    "make_parser",
    "parser_version",
    "statements_parser",
]
