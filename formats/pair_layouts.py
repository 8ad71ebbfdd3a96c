"""Names of the columns of pairwise verdicts: outputs, systems, choices and authors.

`pair_tables` finds the layout of a table by these names, and `pair_choices` reads its cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..tables.column_names import is_label_like, is_person, is_score_like, normal

OUTPUTS = frozenset({"output", "response", "answer", "completion", "generation", "text", "candidate", "summary", "reply", "conversation",
                     "assistant", "result", "option", "model_output", "model_response", "model_answer", "story", "solution", "message"})  # fmt: skip
"""Names of two outputs, before or after their ends: ``output_1``, ``response_A``."""

SYSTEMS = frozenset({"generator", "model", "system", "model_name", "model_id", "bot", "llm", "agent", "policy", "response_model",
                     "output_model", "model_of_response"})  # fmt: skip
"""Names of two systems: ``model_a``, ``generator_1``."""

ENDS = (("1", "2"), ("a", "b"), ("0", "1"), ("first", "second"), ("left", "right"))
"""Ends of the names of two columns, the first output's and the second's."""

LISTS = {"outputs": frozenset({"outputs", "responses", "answers", "completions", "candidates", "generations"}),
         "systems": frozenset({"models", "generators", "systems", "model_names"})}  # fmt: skip
"""Columns that hold both outputs, or both systems, as a list."""

CHOSEN = ("chosen", "rejected")
"""Columns of the better output and the worse one."""

ONE_HOT = ("winner_model_a", "winner_model_b")
ONE_HOT_TIES = {"winner_tie": False, "winner_tie_bothbad": True, "winner_tie_both_bad": True}
"""Columns of a choice in one-hot form; ties, and whether both are bad."""

GAMES = ("g1_winner", "g2_winner")
"""Choices in both orders, as MT-Bench has them: the second game shows the second model first."""

JUDGMENTS = "judgments"
"""Choices in both orders, as JudgeBench has them: a list of ``decision``, the second of the swapped pair."""

IDS = ("question_id", "prompt_id", "case_id", "item_id", "example_id", "id", "uid", "pair_id", "idx", "index")
"""Names of the id of a pair's question, in order of preference."""

QUESTIONS = ("question", "query", "instruction", "prompt", "input", "user_input", "question_content", "task")
"""Names of the question, in order of preference."""

AUTHORS = (
    "annotator",
    "judge",
    "judge_name",
    "judge_model",
    "rater",
    "labeler",
    "labeller",
    "evaluator",
    "reviewer",
    "annotator_id",
)
"""Columns that name who chose."""

ORDERS = (
    "order",
    "swapped",
    "is_swapped",
    "swap",
    "flipped",
    "is_flipped",
    "reversed",
    "is_switched",
    "presentation_order",
)
"""Columns that say which output was shown first."""

_CHOICE_WORD = re.compile(r"prefer(?:ence|red|s)?|winners?|wins?|choices?|pick(?:ed|s)?|better|best|verdicts?|judge?ments?|judge|decisions?|votes?|label|annotations?|gold|select(?:ed|ion)?")  # fmt: skip
"""Words in the names of columns of choices."""

_TRUTH_WORDS = frozenset({"label", "gold", "truth", "ground_truth", "answer", "correct"})
_JUDGE_WORD = re.compile(
    r"gpt|claude|llm|llama|gemini|gemma|mistral|mixtral|qwen|deepseek|model|judge|auto|eval|command|palm|bard|reward"
)
_PERSON_WORD = re.compile(r"human|expert|author|person|people|worker|crowd|turker|user")


_JSON_KEY = re.compile(rb'"([^"\\\n]{1,60})"\s{0,8}:')


def may_name_pairs(start: bytes) -> bool:
    """Return whether the beginning of a JSON file may name columns of pairs."""
    keys = {key.decode("utf-8", "replace") for key in _JSON_KEY.findall(start)}
    special = {*CHOSEN, *ONE_HOT, *GAMES, JUDGMENTS, *LISTS["outputs"], *LISTS["systems"]}
    return (
        not special.isdisjoint(map(normal, keys))
        or any(map(chooses_between, keys))
        or any(pair_of_columns(keys, stems) for stems in (OUTPUTS, SYSTEMS))
    )


class PairColumns(NamedTuple):
    """Two columns: of the output that the layout names first, and of the other."""

    first: str
    second: str
    end: str = ""
    """The end of the first one's name: ``1``, ``a``, ``first``."""


def pair_of_columns(columns: Iterable[str], stems: frozenset[str]) -> PairColumns | None:
    """Return the two columns with one of these names and the ends of a pair, or None if absent.

    Three outputs or more are no pair.
    """
    by_stem: dict[str, dict[str, str]] = {}
    for name in columns:
        stem, end = _split(name)
        if stem in stems:
            by_stem.setdefault(stem, {}).setdefault(end, name)
    pairs = [
        PairColumns(column_by_end[first], column_by_end[second], first)
        for column_by_end in by_stem.values()
        for first, second in ENDS
        if first in column_by_end and second in column_by_end and len(column_by_end.keys() - {""}) == 2  # noqa: PLR2004 - a pair
    ]
    return pairs[0] if pairs else None


def in_pairs(columns: Iterable[str]) -> set[str]:
    """Return the columns that come in pairs, whatever their content: ``score_a``, ``score_b``."""
    by_stem: dict[str, dict[str, str]] = {}
    for name in columns:
        stem, end = _split(name)
        by_stem.setdefault(stem, {}).setdefault(end, name)
    return {
        column_by_end[end]
        for column_by_end in by_stem.values()
        for ends in ENDS
        if all(end in column_by_end for end in ends)
        for end in ends
    }


_SUFFIX = re.compile(r"\A(.+?)(?:_(\d|[a-d]|first|second|left|right)|(\d))")
_PREFIX = re.compile(r"(a|b|first|second|left|right)_(.+)")


def _split(name: str) -> tuple[str, str]:
    """Return a column's name without its end, and the end, "" if it has none."""
    plain = normal(re.sub(r"(?<=[a-z])([AB])$", r"_\1", name.strip()))
    if (match := _SUFFIX.fullmatch(plain)) is not None:
        return match[1], match[2] or match[3]
    if (match := _PREFIX.fullmatch(plain)) is not None:
        return match[2], match[1]
    return plain, ""


def by_normal_name(columns: Iterable[str]) -> Mapping[str, str]:
    """Return columns by their normalized names; of equal ones the first counts."""
    column_by_name: dict[str, str] = {}
    for name in columns:
        column_by_name.setdefault(normal(name), name)
    return column_by_name


def first_of(named: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return the first column that has one of these names."""
    return next((named[name] for name in names if name in named), None)


_COMPARING_WORD = re.compile(
    r"prefer(?:ence|red|s)?|winners?|choices?|chosen|pick(?:ed|s)?|better|select(?:ed|ion)?|votes?"
)
"""Words that mean a choice between outputs, and no grade."""


def chooses_between(name: str) -> bool:
    """Return whether a column's name means a choice between two: ``judge_choice``."""
    return any(_COMPARING_WORD.fullmatch(word) for word in normal(name).split("_"))


def is_choosing(name: str) -> bool:
    """Return whether a column's name means choices: ``human_winner``, ``preference``."""
    if is_person(name) or is_label_like(name) or is_score_like(name):
        return True
    return any(_CHOICE_WORD.fullmatch(word) for word in normal(name).split("_"))


def role_of_column(name: str) -> str:
    """Return whose choices a column has, by its name: ``label``, ``judge``, or "" if unknown."""
    words = normal(name).split("_")
    if (
        is_person(name)
        or is_label_like(name)
        or words[0] in _TRUTH_WORDS
        or words[-1] in _TRUTH_WORDS - {"answer"}
    ):
        return "label"
    if any(_PERSON_WORD.fullmatch(word) for word in words):
        return "label"
    return "judge" if is_score_like(name) or any(_JUDGE_WORD.match(word) for word in words) else ""


def is_judge_name(name: str) -> bool:
    """Return whether an author is a judge by name: ``gpt-4``; anybody else is a person."""
    plain = normal(name)
    return _JUDGE_WORD.search(plain) is not None and _PERSON_WORD.search(plain) is None
