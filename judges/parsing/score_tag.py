"""Find the score of a tagged reply.

A judge may quote an answer that contains the same tags. So the tagged reasons are cut out first; the rest must contain the score
once, at its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import DECORATION, QUOTES, excerpt, one_score
from .second_score import SecondScore

_TAG_FLAGS = re.IGNORECASE | re.ASCII
"""Tags are matched ignoring case; ASCII excludes the letters of Unicode that equal ASCII letters when case is ignored."""

_IGNORED_END = re.compile(r"(?:[\s*_.]|[`~]{3,}+|<\|\w{1,24}\|>|</s>)*+")
"""Ignored after the score: white space, emphasis, code fences, and end marks that servers leave in replies."""

_FENCE = "```"


class _Reason(NamedTuple):
    """A reason that was cut out: its tag, its text, and its position in the rest."""

    name: str
    text: str
    position: int


@dataclass(frozen=True)
class ScoreTag:
    """Tag around the score of a reply.

    Attributes:
        name: Name of the tag.
        reasons: Names of the tags around reasons.
        read: Function that reads the content of the tag; it raises DecodingError if it is no score.
        scale: Possible scores.
        second: What looks like a second score in the text before the tag.
    """

    name: str
    reasons: Sequence[str]
    read: Callable[[str], float]
    scale: Scale
    second: SecondScore

    @property
    def where(self) -> str:
        """Description of the score's place, for error messages."""
        return f"between <{self.name}> and </{self.name}>"

    def find(self, reply: str) -> float | None:
        """Return the score, or None if nothing outside the reasons looks like the tag.

        Raises:
            DecodingError: There is another score, something like the tag, or text behind the score.
        """
        rest, reasons = _without_reasons(reply, self.reasons)
        lookalikes = list(self._lookalike.finditer(rest))
        if not lookalikes:
            return None
        tagged_scores = list(between_tags(self.name).finditer(rest))
        if not tagged_scores:
            raise DecodingError(f"no score {self.where}, but {excerpt(rest[lookalikes[0].start() :])}")
        score = one_score([self.read(match[1]) for match in tagged_scores], self.scale, self.where)
        if len(lookalikes) != 2:  # noqa: PLR2004 - the opening and the closing tag
            raise DecodingError(f"more than one score {self.where}: {excerpt(rest[lookalikes[0].start() :])}")
        before, behind = rest[: tagged_scores[0].start()], rest[tagged_scores[0].end() :]
        self._require_no_reasons_around(reasons, before)
        # An odd number of fences in the reasons leaves one open there, in which the score is quoted.
        fences_in_reasons = sum(reason.text.count(_FENCE) for reason in reasons)
        if _FENCE in behind and _FENCE not in before and fences_in_reasons % 2:
            raise DecodingError("the score is in a fence that begins in the reasons")
        _require_nothing_behind(before, behind)
        self.second.refuse(before, score)
        return score

    @property
    def _lookalike(self) -> re.Pattern[str]:
        """Pattern of the opening or closing tag, also if incomplete, escaped, or in other letters."""
        return re.compile(rf"(?:<|&lt;|\[|\uff1c|\u2039)[\s/\\]{{0,4}}{self.name}(?!\w)", re.IGNORECASE)

    def _require_no_reasons_around(self, reasons: Sequence[_Reason], before: str) -> None:
        """Refuse reasons whose ends are in doubt, since a quoted answer may contain their tags."""
        names_before = {reason.name for reason in reasons if reason.position <= len(before)}
        names_behind = {reason.name for reason in reasons if reason.position > len(before)}
        for name in names_behind:
            if name in names_before or re.compile(f"</{name}>", _TAG_FLAGS).search(before):
                raise DecodingError("the reasons go on behind the score")
        for reason in reasons:
            # A reason that contains its opening tag again, after a score, may be two reasons.
            again = re.compile(f"<{reason.name}>", _TAG_FLAGS).search(reason.text)
            if again is not None and self._lookalike.search(reason.text, 0, again.start()) is not None:
                raise DecodingError(f"<{reason.name}> begins again behind a score")


def between_tags(name: str) -> re.Pattern[str]:
    """Return the pattern of a text between two tags of this name."""
    return re.compile(f"<{name}>([^<]*+)</{name}>", _TAG_FLAGS)


def tagged_reason(reply: str, names: Sequence[str]) -> str | None:
    """Return the text between the first tags of each name, or None if there is none."""
    texts = (_between(reply, name) for name in names)
    return "\n".join(filter(None, texts)) or None


def _between(reply: str, name: str) -> str:
    """Return the text between the first opening tag and the next closing one, or an empty text.

    Two searches instead of one pattern: they cannot backtrack.
    """
    opening = re.search(f"<{name}>", reply, _TAG_FLAGS)
    if opening is None:
        return ""
    closing = re.compile(f"</{name}>", _TAG_FLAGS).search(reply, opening.end())
    return reply[opening.end() : closing.start()].strip() if closing else ""


def _without_reasons(reply: str, names: Sequence[str]) -> tuple[str, list[_Reason]]:
    """Cut the reasons out of a reply, each from its opening tag to the next closing one.

    A line break replaces each reason, so that the texts around the reason cannot form a tag.
    """
    if not names:
        return reply, []
    closings = {name.lower(): re.compile(f"</{name}>", _TAG_FLAGS) for name in names}
    opening = re.compile(f"<({'|'.join(closings)})>", _TAG_FLAGS)
    pieces, reasons = list[str](), list[_Reason]()
    position = length = 0  # in the reply, and in the rest
    for tag in opening.finditer(reply):
        name = tag[1].lower()
        if tag.start() < position or name not in closings:
            continue
        end = closings[name].search(reply, tag.end())
        if end is None:
            # No later tag of this name is closed either. Without further searches for it, this stays linear.
            del closings[name]
            continue
        pieces.append(reply[position : tag.start()])
        length += tag.start() - position + 1  # 1 for the line break
        reasons.append(_Reason(name, reply[tag.end() : end.start()], length))
        position = end.end()
    return "\n".join([*pieces, reply[position:]]), reasons


def _require_nothing_behind(before: str, behind: str) -> None:
    """Refuse text behind the score, apart from marks that are ignored.

    A backtick is ignored if another one is directly before the score. A quotation mark is ignored if the reply begins with one. Any
    other backtick or quotation mark shows that the score ends a quotation.
    """
    marks = before[len(before.rstrip(f"{QUOTES}{DECORATION}")) :]
    if "`" in marks:
        behind = behind.strip(DECORATION)
    if marks == before and not set(marks).isdisjoint(QUOTES):
        behind = behind.strip(f"{QUOTES}{DECORATION}")
    if _IGNORED_END.fullmatch(behind) is None:
        raise DecodingError(f"text behind the score: {excerpt(behind)}")
