"""Reads judges' replies: one module a form of reply, chosen by the prompt's ``parse:`` declaration.

Reading is strict: no score, a score off the scale, or two different scores make a reply unreadable, and an unreadable reply is
never a score.
"""

from .choice import PARSER_VERSION, make_parser
from .reading import Reading, ReplyParser
from .refusal import is_refusal

__all__ = ["PARSER_VERSION", "Reading", "ReplyParser", "is_refusal", "make_parser"]
