"""Read replies that are or contain a JSON object with the score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, cast

from ...errors import DecodingError
from ...records.scale import Scale
from .json_objects import ReplyPart, lone_object, parts_of, with_keys
from .parsed_reply import (
    DECORATION,
    NUMBER,
    QUOTES,
    ParsedReply,
    ReplyParser,
    ends_quotation,
    excerpt,
    one_score,
    reading_of,
    share_of_marked,
    without_thoughts,
)
from .second_score import SecondScore
from .written_number import lone_number

_MAX_CHARACTERS = 1 << 20
_NUMBER = re.compile(NUMBER)


class Pieces(NamedTuple):
    """Keys of a reply that lists pieces of information, of which the score is a share.

    Attributes:
        list_key: Key of the list of pieces.
        mark_key: Key of each piece's mark, 1 or 0.
        cited_key: Key of each piece's citations, or None without citations. A piece marked 1 must have some.
    """

    list_key: str
    mark_key: str
    cited_key: str | None = None


def json_parser(
    scale: Scale,
    *,
    score: str = "score",
    reason: str | None = "reason",
    all_of: Sequence[str] = (),
    fraction_of: Pieces | None = None,
    alone: bool = False,
) -> ReplyParser:
    """Return a parser of JSON replies.

    Objects are also found in code fences and between sentences; if there are several, they must agree on the score. If something
    else looks like the score, the reply is unreadable.

    Args:
        scale: Possible scores.
        score: Key of the score, a number or a text with a number.
        reason: Key of the reason.
        all_of: Keys of criteria. The score must be the worst of their scores; otherwise the reply contradicts itself.
        fraction_of: Keys of the pieces. If the reply lists pieces, the score must be the share of pieces that are marked 1.
        alone: Whether the reply must be the object alone, with all criteria and pieces, as under a ``response_format``.
    """
    where = f"under the key {score!r} of a JSON object"
    piece_keys = [key for key in fraction_of or () if key is not None]
    known_keys = frozenset([score, *filter(None, [reason]), *all_of, *piece_keys])
    score_key = _ScoreKey(score, known_keys, SecondScore.named(score, _written_score, scale))

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text).strip()
        if len(reply) > _MAX_CHARACTERS:
            raise DecodingError(f"the reply is longer than {_MAX_CHARACTERS} characters")
        objects, text_around = ([lone_object(text, known_keys)], "") if alone else score_key.objects(reply)
        scored_objects = [fields for fields in objects if score in fields]
        parsed_score = one_score([_score(fields[score]) for fields in scored_objects], scale, where)
        score_key.second.refuse(text_around, parsed_score)
        last = scored_objects[-1]  # all agree on the score; the last one gives the reason
        if alone:
            _require_present(last, [*all_of, *([fraction_of.list_key] if fraction_of else [])])
        for fields in scored_objects:
            _check_criteria(_criteria(fields, all_of), parsed_score, scale)
        explanation = last.get(reason) if reason else None
        explanation = explanation if isinstance(explanation, str) else None
        criteria = _criteria(last, all_of)
        details: dict[str, Any] = {"criteria": criteria} if criteria else {}
        if fraction_of and fraction_of.list_key in last:
            pieces = details[fraction_of.list_key] = last[fraction_of.list_key]
            share = share_of_marked(scale.normalise(parsed_score), _marks(pieces, fraction_of))
            return ParsedReply(share, explanation, details)
        return reading_of(parsed_score, scale, explanation, details)

    return parse


def _require_present(decoded: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in keys:
        if key not in decoded:
            raise DecodingError(f"the reply lacks {key!r}, on which the score depends")


def _criteria(decoded: Mapping[str, Any], keys: Sequence[str]) -> dict[str, float]:
    return {key: _score(decoded[key]) for key in keys if key in decoded}


def _check_criteria(criteria: Mapping[str, float], score: float, scale: Scale) -> None:
    for key, criterion in criteria.items():
        if criterion not in scale:
            raise DecodingError(
                f"the criterion {key!r} is {criterion:g}, which is not on the scale ({scale})"
            )
    # A prompt with `all_of` asks for the worst score of its criteria.
    if criteria and scale.worst_of(map(scale.nearest, criteria.values())) != score:
        raise DecodingError(f"the score does not follow from the criteria {criteria}")


def _marks(pieces: Any, keys: Pieces) -> list[float]:
    """Return the marks of pieces; refuse a piece that is marked 1 but lacks citations."""
    try:
        marks = [_score(piece[keys.mark_key]) for piece in pieces]
        has_citations = [keys.cited_key is None or bool(piece[keys.cited_key]) for piece in pieces]
    except (KeyError, TypeError) as error:
        names = [key for key in (keys.mark_key, keys.cited_key) if key]
        raise DecodingError(f"expected a list of objects with {names} under {keys.list_key!r}") from error
    if any(mark and not has_citation for mark, has_citation in zip(marks, has_citations, strict=True)):
        raise DecodingError(f"a piece is marked 1, but cites nothing under {keys.cited_key!r}")
    return marks


@dataclass(frozen=True)
class _ScoreKey:
    """Key of the score, which finds the objects of a reply that contain it.

    Attributes:
        key: Key of the score.
        known_keys: All keys that the prompt asks for.
        second: What looks like a second score in the text around the objects.
    """

    key: str
    known_keys: frozenset[str]
    second: SecondScore

    def objects(self, reply: str) -> tuple[list[Mapping[str, Any]], str]:
        """Return the objects with the key, and the text around all objects.

        Raises:
            DecodingError: The key is also somewhere else: within another object, or in something that is not JSON.
        """
        objects: list[Mapping[str, Any]] = []
        texts = [""]  # one text before each object, and one after the last
        for part in parts_of(reply):
            decoded = with_keys(part.decoded, self.known_keys) if part.decoded else part.decoded
            if part.kind == "object" and self.key in decoded:
                objects.append(decoded)
                texts.append("")
            elif self._is_broken(part, is_first=not objects and texts[0].strip(DECORATION) in {"", "json"}):
                raise DecodingError(f"no JSON object has the key {self.key!r} in {excerpt(part.text)}")
            elif part.kind != "object":
                texts[-1] += part.text
        for before, behind in pairwise(texts):
            if ends_quotation(before, behind):
                raise DecodingError(
                    f"the object with the key {self.key!r} ends a quotation: {excerpt(behind)}"
                )
        return objects, "\n".join(texts)

    def _is_broken(self, part: ReplyPart, *, is_first: bool) -> bool:
        """Return whether a part has the key in a wrong place, or is the reply's unfinished object."""
        if part.kind == "object":
            return _has_key(part.decoded, self.key.casefold())
        if part.kind == "unclosed" and is_first:  # the reply was probably cut off
            return True
        # In text, only the quoted key before a colon counts: the word alone may be part of a sentence.
        pattern = self._quoted_key if part.kind == "text" else self._any_key
        return pattern.search(part.text) is not None

    @cached_property
    def _any_key(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w){re.escape(self.key)}(?!\w)", re.IGNORECASE)

    @cached_property
    def _quoted_key(self) -> re.Pattern[str]:
        mark = rf"[{QUOTES}`\\]"
        return re.compile(rf"{mark}\s?{re.escape(self.key)}\s?{mark}{{1,2}}\s{{0,8}}[:=]", re.IGNORECASE)


def _has_key(value: Any, key: str) -> bool:
    """Return whether an object, or one nested in it, has a key, ignoring case."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            fields = cast("dict[str, Any]", item)
            if any(name.casefold() == key for name in fields):
                return True
            stack += fields.values()
        elif isinstance(item, list):
            stack += cast("list[Any]", item)
    return False


def _score(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    raise DecodingError(f"expected a number as score, got {str(value)[:40]!r}")


def _written_score(text: str) -> float:
    if numbers := lone_number(text):
        return numbers[0]
    raise DecodingError(f"expected a number as score, got {excerpt(text)}")
