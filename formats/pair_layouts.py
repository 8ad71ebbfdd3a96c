"""Layouts of pairwise verdicts: columns of outputs, systems, choices and authors.

The tables here are all that is known of other people's files; `pair_choices` reads what their cells say.
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
"""Names of a pair's question, the first that there is."""

QUESTIONS = ("question", "query", "instruction", "prompt", "input", "user_input", "question_content", "task")
"""Names of what was asked."""

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

_CHOOSING = re.compile(r"prefer(?:ence|red|s)?|winners?|wins?|choices?|pick(?:ed|s)?|better|best|verdicts?|judge?ments?|judge|decisions?|votes?|label|annotations?|gold|select(?:ed|ion)?")  # fmt: skip
"""Words in the names of columns of choices."""

_TRUTH = frozenset({"label", "gold", "truth", "ground_truth", "answer", "correct"})
_JUDGES = re.compile(
    r"gpt|claude|llm|llama|gemini|gemma|mistral|mixtral|qwen|deepseek|model|judge|auto|eval|command|palm|bard|reward"
)
_PEOPLE = re.compile(r"human|expert|author|person|people|worker|crowd|turker|user")


_KEY = re.compile(rb'"([^"\\\n]{1,60})"\s{0,8}:')


def may_name_pairs(start: bytes) -> bool:
    """Return whether the beginning of a JSON file may name columns of pairs."""
    keys = {key.decode("utf-8", "replace") for key in _KEY.findall(start)}
    special = {*CHOSEN, *ONE_HOT, *GAMES, JUDGMENTS, *LISTS["outputs"], *LISTS["systems"]}
    return (
        not special.isdisjoint(map(normal, keys))
        or any(map(chooses_between, keys))
        or any(pair_of_columns(keys, stems) for stems in (OUTPUTS, SYSTEMS))
    )


class PairColumns(NamedTuple):
    """Two columns, of the output that the layout names first, and of the other."""

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
    found = [
        PairColumns(named[first], named[second], first)
        for named in by_stem.values()
        for first, second in ENDS
        if first in named and second in named and len(named.keys() - {""}) == 2  # noqa: PLR2004 - a pair
    ]
    return found[0] if found else None


def in_pairs(columns: Iterable[str]) -> set[str]:
    """Return the columns that stand in pairs, whatever they hold: ``score_a`` and ``score_b``."""
    by_stem: dict[str, dict[str, str]] = {}
    for name in columns:
        stem, end = _split(name)
        by_stem.setdefault(stem, {}).setdefault(end, name)
    return {
        named[end]
        for named in by_stem.values()
        for ends in ENDS
        if all(each in named for each in ends)
        for end in ends
    }


_SUFFIX = re.compile(r"\A(.+?)(?:_(\d|[a-d]|first|second|left|right)|(\d))")
_PREFIX = re.compile(r"(a|b|first|second|left|right)_(.+)")


def _split(name: str) -> tuple[str, str]:
    """Return a column's name without its end, and the end; an empty end if it has none."""
    plain = normal(re.sub(r"(?<=[a-z])([AB])$", r"_\1", name.strip()))
    if (found := _SUFFIX.fullmatch(plain)) is not None:
        return found[1], found[2] or found[3]
    if (found := _PREFIX.fullmatch(plain)) is not None:
        return found[2], found[1]
    return plain, ""


def by_normal_name(columns: Iterable[str]) -> Mapping[str, str]:
    """Return columns by their normal names, the first of each."""
    named: dict[str, str] = {}
    for name in columns:
        named.setdefault(normal(name), name)
    return named


def first_of(named: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return the first column that has one of these names."""
    return next((named[name] for name in names if name in named), None)


_BETWEEN = re.compile(
    r"prefer(?:ence|red|s)?|winners?|choices?|chosen|pick(?:ed|s)?|better|select(?:ed|ion)?|votes?"
)
"""Words that mean a choice between outputs, and no grade."""


def chooses_between(name: str) -> bool:
    """Return whether a column's name means a choice between two: ``judge_choice``."""
    return any(_BETWEEN.fullmatch(word) for word in normal(name).split("_"))


def is_choosing(name: str) -> bool:
    """Return whether a column's name means choices: ``human_winner``, ``preference``."""
    if is_person(name) or is_label_like(name) or is_score_like(name):
        return True
    return any(_CHOOSING.fullmatch(word) for word in normal(name).split("_"))


def role_of_column(name: str) -> str:
    """Return whose choices a column holds by its name: ``label``, ``judge``, or empty."""
    words = normal(name).split("_")
    if is_person(name) or is_label_like(name) or words[0] in _TRUTH or words[-1] in _TRUTH - {"answer"}:
        return "label"
    if any(_PEOPLE.fullmatch(word) for word in words):
        return "label"
    return "judge" if is_score_like(name) or any(_JUDGES.match(word) for word in words) else ""


def is_judge_name(name: str) -> bool:
    """Return whether an author is a judge by name: ``gpt-4``; anybody else is a person."""
    plain = normal(name)
    return _JUDGES.search(plain) is not None and _PEOPLE.search(plain) is None
