"""Make the parser that a prompt declares under ``parse:``.

`make_parser` checks the settings of the declared mode (``_MODES``), and makes the parser. The parser of the mode ``choice`` is here
too; those of other modes have modules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from ...errors import DecodingError, PromptError
from ...records.scale import Scale
from ..prompt_file import CRITERIA, DECISION, STATEMENTS, STEP, PromptFile
from .json_reply import Pieces, json_parser
from .parsed_reply import ParsedReply, ReplyParser, bare_reply, one_score, reading_of, without_thoughts
from .score_tag import ScoreTag, tagged_reason
from .second_score import SecondScore
from .step_reply import step_parser
from .written_number import strip_decoration
from .written_score import number_parser, tags_parser


def choice_parser(
    scale: Scale, scores: Mapping[str, float], *, tag: str | None = None, reasons: Sequence[str] = ()
) -> ReplyParser:
    """Return a parser of choices among labels: the whole reply, or the content of a tag.

    A reply is unreadable without a label, with a word that is not a label, or with two labels outside the reasons. Case is ignored,
    and so are quotes, emphasis and a full stop around the label. If a tag is expected, a reply that is only the label is read, too.

    Args:
        scale: Possible scores.
        scores: Score of each label, in lower case; spaces in it may be hyphens or underscores in the reply.
        tag: Name of the tag around the label, or None if the label is the whole reply.
        reasons: Names of the tags around reasons.
    """
    where = "alone in the reply" if tag is None else f"between <{tag}> and </{tag}>"

    def read(written: str) -> float:
        return _score(written, scores, where)

    # Text before the tag is read with this function: there, only a label without emphasis counts as a second score.
    def read_unmarked(written: str) -> float:
        if strip_decoration(written) != written.strip().removesuffix("."):
            raise DecodingError("a word with emphasis, alone on a line, is a heading")
        return read(written)

    # Longest first, so that "partially correct" is not read as "partially".
    words = "|".join(f"{_label_pattern(label)}\\b" for label in sorted(scores, key=len, reverse=True))
    choice = tag and ScoreTag(tag, reasons, read, scale, SecondScore.named(tag, read_unmarked, scale, words))

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        score = choice.find(reply) if choice else None
        if score is None:
            score = one_score([read(bare_reply(text))], scale, where)
        return reading_of(score, scale, tagged_reason(reply, reasons))

    return parse


_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_LABEL = re.compile(r"[^\W_]+(?:[ _-][^\W_]+)*")


def _normalised(label: str) -> str:
    """Return a label as it is compared: ``partially correct`` for ``Partially-Correct``."""
    return _BETWEEN_WORDS.sub(" ", label).casefold()


def _label_pattern(label: str) -> str:
    return r"[\s_-]{1,4}".join(map(re.escape, label.split(" ")))


def _score(written: str, scores: Mapping[str, float], where: str) -> float:
    word = _normalised(strip_decoration(written))
    if word not in scores:
        raise DecodingError(f"none of {', '.join(scores)} {where}, but {written.strip()[:40]!r}")
    return scores[word]


LOGPROBS = "logprobs"
"""The mode of prompts whose score is a probability, read from the reply's log-probabilities."""

_JSON_FORMATS = {"json_object", "json_schema"}


_NUMBER_AFTER_HEADING = "number after"
"""Key of the version of mode ``number`` with a heading, which has a version of its own."""

PARSER_VERSIONS: Mapping[str, int] = {
    "tags": 4,
    "number": 4,
    _NUMBER_AFTER_HEADING: 5,
    "json": 5,
    "structured": 4,
    "choice": 4,
    LOGPROBS: 4,
    STATEMENTS: 4,
    CRITERIA: 4,
    STEP: 4,
    DECISION: 1,
}
"""Version of each mode's parser, part of a judge's fingerprint. Increment it when the parser reads some reply differently."""


def parser_version(prompt: PromptFile) -> int:
    """Return the version of the parser for a prompt's replies; 0 for an unknown mode."""
    settings = prompt.parse if prompt.parse is not None else inferred_parse(prompt)
    mode = settings.get("mode")
    if mode == "number" and settings.get("after") is not None:
        mode = _NUMBER_AFTER_HEADING
    return PARSER_VERSIONS.get(mode, 0) if isinstance(mode, str) else 0


def make_parser(prompt: PromptFile) -> ReplyParser:
    """Return the parser for a prompt's replies.

    If the prompt declares none, the mode is inferred: JSON if its ``response_format`` is JSON, tags if its template shows
    ``<S2>`` or ``<score>``, else a number that is the whole reply.

    Raises:
        PromptError: The declaration is invalid.
    """
    if prompt.mode == DECISION and prompt.decision is not None:
        from ..decision_scores import decision_parser  # noqa: PLC0415 - most judges ask chat models

        return decision_parser(prompt.decision, flipped=prompt.scale.better == "low")
    declared = dict(prompt.parse if prompt.parse is not None else inferred_parse(prompt))
    location = f"{prompt.path}:{prompt.lines.get('parse', 1)}: parse"
    mode = declared.pop("mode", None)
    make = _MODES.get(mode) if isinstance(mode, str) else None
    if make is None:
        raise PromptError(f"{location}: unknown mode {mode!r}; known are {', '.join(_MODES)}")
    if mode == STEP and "steps" not in prompt.shown:
        raise PromptError(f"{location}: mode {STEP} needs numbered steps in the prompt: add the input steps")
    try:
        return make(prompt.scale, declared)
    except (ValueError, OverflowError) as error:
        raise PromptError(f"{location}: {error}") from error


def inferred_parse(prompt: PromptFile) -> Mapping[str, Any]:
    """Return the parse settings of a prompt that declares none."""
    response_format: Any = prompt.parameters.get("response_format")
    if response_format and response_format["type"] in _JSON_FORMATS:
        return {"mode": "json"}
    for name in ("S2", "score"):
        if f"<{name}>" in prompt.template:
            return {"mode": "tags", "score": name, "reason": ["S0", "S1"] if name == "S2" else "reason"}
    return {"mode": "number"}


def _tags(scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    _require_known_options(declared, "score", "reason", "fraction_of", "cited", "fractions")
    score = _tag_name(declared.get("score", "S2"))
    reasons = _tag_names(declared.get("reason", []))
    fraction_of = None if declared.get("fraction_of") is None else _tag_name(declared["fraction_of"])
    if fraction_of is not None:
        _require_no_flipped_shares(scale)
    cited = declared.get("cited", False)
    if not isinstance(cited, bool) or (cited and fraction_of is None):
        raise ValueError("cited must be true or false, and is only for use beside fraction_of")
    fractions = _fractions(scale, declared)
    return tags_parser(
        scale, score_tag=score, reasons=reasons, fraction_of=fraction_of, cited=cited, fractions=fractions
    )


def _number(scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    _require_known_options(declared, "pick", "after", "fractions", "indexes")
    pick = declared.get("pick", "alone")
    if pick not in {"alone", "last"}:
        raise ValueError(f"pick must be alone or last, got {pick!r}")
    after = declared.get("after")
    if after is not None and (not isinstance(after, str) or not after.strip()):
        raise ValueError(f"after must be a heading, got {after!r}")
    indexes = declared.get("indexes", False)
    if not isinstance(indexes, bool) or (indexes and after is None):
        raise ValueError("indexes must be true or false, and is only for use beside after")
    return number_parser(
        scale, pick=pick, after=after, fractions=_fractions(scale, declared), indexes=indexes
    )


def _fractions(scale: Scale, declared: Mapping[str, Any]) -> bool:
    """Return whether the prompt asks for a score written as a fraction of the best score."""
    fractions = declared.get("fractions", False)
    if not isinstance(fractions, bool):
        raise ValueError(f"fractions must be true or false, got {fractions!r}")  # noqa: TRY004 - of a prompt file, with its line
    if fractions and scale.minimum != 0:
        raise ValueError(f"fractions need a scale that begins with 0, got {scale}")
    return fractions


def _json(scale: Scale, declared: Mapping[str, Any], *, alone: bool = False) -> ReplyParser:
    _require_known_options(declared, "score", "reason", "all_of", "fraction_of")
    if declared.get("fraction_of") is not None:
        _require_no_flipped_shares(scale)
    return json_parser(
        scale,
        score=_name(declared.get("score", "score")),
        reason=_name(declared.get("reason", "reason")),
        all_of=_names(declared.get("all_of", [])),
        fraction_of=_pieces(declared.get("fraction_of")),
        alone=alone,
    )


def _pieces(declared: Any) -> Pieces | None:
    if declared is None:
        return None
    if not isinstance(declared, dict) or not {"list", "key"} <= declared.keys() <= {"list", "key", "cited"}:
        raise ValueError(
            f"fraction_of must be a mapping with list, key and optionally cited, got {declared!r}"
        )
    keys = cast("dict[str, Any]", declared)
    cited = keys.get("cited")
    return Pieces(_name(keys["list"]), _name(keys["key"]), None if cited is None else _name(cited))


def _require_no_flipped_shares(scale: Scale) -> None:
    if scale.better == "low":
        raise ValueError(
            "fraction_of needs a scale with the highest score as the best, since it is the share of pieces that hold"
        )


def _choice(scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    _require_known_options(declared, "choices", "tag", "reason")
    choices: Any = declared.get("choices")
    if not isinstance(choices, dict) or len(cast("dict[Any, Any]", choices)) < 2:  # noqa: PLR2004 - one is no choice
        raise ValueError(f"choices must map two words or more to scores, got {choices!r}")
    scores: dict[str, float] = {}
    for word, score in cast("dict[Any, Any]", choices).items():
        if not isinstance(word, str) or _LABEL.fullmatch(word) is None or not isinstance(score, (int, float)):
            raise ValueError(f"choices must map words to scores, got {word!r}: {score!r}")
        if isinstance(score, bool) or float(score) not in scale:
            raise ValueError(f"the score of {word!r}, {score}, is not on the scale ({scale})")
        if scores.setdefault(_normalised(word), float(score)) != score:
            raise ValueError(f"{word!r} has two scores")
    tag = None if declared.get("tag") is None else _tag_name(declared["tag"])
    reasons = _tag_names(declared.get("reason", []))
    return choice_parser(scale, scores, tag=tag, reasons=reasons)


def _step(scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    _require_known_options(declared, "tag", "reason")
    if not (scale.is_binary and scale.is_unit):
        raise ValueError(
            f"mode {STEP} needs the scale 0 or 1, since the score is 1 if no step is wrong, got {scale}"
        )
    return step_parser(_tag_name(declared.get("tag", "S2")), _tag_names(declared.get("reason", [])))


def _logprobs(scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    """Return the parser of the score in the text.

    `read_reply` replaces the score by its probability, from the reply's log-probabilities.
    """
    _require_known_options(declared)
    if not scale.is_binary:
        raise ValueError(f"mode {LOGPROBS} needs a scale of two scores, got {scale}")
    return number_parser(scale)


def _parser_replaced_per_item(content: str, scale: Scale, declared: Mapping[str, Any]) -> ReplyParser:
    """Return a parser that rejects every reply, for modes whose parser depends on the item.

    `JudgePrompt.for_item` replaces it: by `statements_parser`, which needs the answer that was split, or by `criteria_parser`, which
    needs the points of the criteria.
    """
    del scale
    _require_known_options(declared)

    def parse(text: str) -> ParsedReply:
        raise DecodingError(f"a reply of {len(text)} characters holds {content}, not a score")

    return parse


_MODES: Mapping[str, Callable[[Scale, Mapping[str, Any]], ReplyParser]] = {
    "tags": _tags,
    "number": _number,
    "json": _json,
    "structured": partial(_json, alone=True),
    "choice": _choice,
    LOGPROBS: _logprobs,
    STATEMENTS: partial(_parser_replaced_per_item, "statements"),
    CRITERIA: partial(_parser_replaced_per_item, "verdicts on criteria"),
    STEP: _step,
}


def _names(value: Any) -> list[str]:
    return [_name(name) for name in cast("list[Any]", value)] if isinstance(value, list) else [_name(value)]


def _tag_names(value: Any) -> list[str]:
    return [_tag_name(name) for name in _names(value)]


def _tag_name(value: Any) -> str:
    name = _name(value)
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not the name of a tag")
    return name


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{value!r} is not the name of a key or tag")
    return value


def _require_known_options(declared: Mapping[str, Any], *options: str) -> None:
    unknown = sorted(declared.keys() - set(options))
    if unknown:
        raise ValueError(f"unknown option {', '.join(unknown)}; known are {', '.join(options) or 'none'}")
