"""Read judges' replies: one module per reply form, chosen by the prompt's ``parse:``.

Reading is strict: no score, a score off the scale, or two different scores make a reply unreadable, and an unreadable reply is
never a score.
"""

from ..prompt_file import CRITERIA, STATEMENTS, STEP
from .criteria_reply import criteria_beside
from .declared_parser import LOGPROBS, PARSER_VERSION, make_parser
from .parsed_reply import ParsedReply, ReplyParser
from .refusal import is_refusal
from .split_reply import statements_beside
from .step_reply import STEP_COUNT, STEP_NAMED, steps_beside

__all__ = [
    "CRITERIA",
    "LOGPROBS",
    "PARSER_VERSION",
    "STATEMENTS",
    "STEP",
    "STEP_COUNT",
    "STEP_NAMED",
    "ParsedReply",
    "ReplyParser",
    "criteria_beside",
    "is_refusal",
    "make_parser",
    "statements_beside",
    "steps_beside",
]
