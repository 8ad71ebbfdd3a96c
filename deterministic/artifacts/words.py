"""Words that a text must, or must not, contain."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class WordRules(NamedTuple):
    """What is asked of a text.

    Attributes:
        required: Words it must contain, every one of them.
        forbidden: Words it must not contain.
        case_insensitive: Whether capital and small letters are the same.
        whole_word: Whether a word must stand by itself instead of within a longer one.
    """

    required: list[str]
    forbidden: list[str]
    case_insensitive: bool = False
    whole_word: bool = False


class WordProblem(NamedTuple):
    """The first rule a text breaks.

    Attributes:
        error_type: ``missing_word`` or ``forbidden_word``.
        word: The word.
    """

    error_type: str
    word: str


def find_problem(text: str, rules: WordRules) -> WordProblem | None:
    """Look for the first word that is missing, then for the first that should not be there.

    Args:
        text: What is looked at.
        rules: What is asked of it.

    Returns:
        The problem; None when there is none.
    """
    contains = _search_in(text, rules)
    for word in rules.required:
        if not contains(word):
            return WordProblem("missing_word", word)
    for word in rules.forbidden:
        if contains(word):
            return WordProblem("forbidden_word", word)
    return None


def _search_in(text: str, rules: WordRules) -> Callable[[str], bool]:
    fold: Callable[[str], str] = str.casefold if rules.case_insensitive else str
    text = fold(text)
    if rules.whole_word:
        return lambda word: re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", text) is not None
    return lambda word: fold(word) in text
