"""Read replies that choose one of the offered words: the whole reply, or a tag's content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import DecodingError
from ..scale import Scale
from .parsed_reply import ParsedReply, ReplyParser, bare_reply, one_score, reading_of, without_thoughts
from .written_score import DECORATION, between_tags, tagged_reason


def choice_parser(
    scale: Scale, scores: Mapping[str, float], *, tag: str | None = None, reasons: Sequence[str] = ()
) -> ReplyParser:
    """Return a parser of choices among words: the whole reply, or the content of a tag.

    Words are given in lower case with their scores.

    A word that is not offered, none, or two different ones make a reply unreadable. Quotes, emphasis and a full stop around the word mean
    nothing, nor do capitals; a tagged prompt's reply that is nothing but the word is read, too.
    """
    tagged = None if tag is None else between_tags(tag)
    where = "alone in the reply" if tag is None else f"between <{tag}> and </{tag}>"

    def parse(text: str) -> ParsedReply:
        reply = without_thoughts(text)
        written = [found[1] for found in tagged.finditer(reply)] if tagged else []
        values = [_score(each, scores, where) for each in written or [bare_reply(text)]]
        return reading_of(one_score(values, scale, where), scale, tagged_reason(reply, reasons))

    return parse


def _score(written: str, scores: Mapping[str, float], where: str) -> float:
    word = written.strip(DECORATION).removesuffix(".").strip(DECORATION).casefold()
    if word not in scores:
        raise DecodingError(f"none of {', '.join(scores)} {where}, but {written.strip()[:40]!r}")
    return scores[word]
