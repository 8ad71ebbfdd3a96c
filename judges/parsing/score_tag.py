"""Find the score of a tagged reply: outside its reasons, once, with nothing behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import DecodingError
from ...records.scale import Scale
from .parsed_reply import DECORATION, QUOTES, one_score, shown
from .second_score import SecondScore

_LETTERS = re.IGNORECASE | re.ASCII
"""Tags match in any case, but not with letters of other alphabets that look alike."""

_NOTHING = re.compile(r"(?:[\s*_.]|[`~]{3,}+|<\|\w{1,24}\|>|</s>)*+")
"""White space, emphasis, code fences, and the end marks that servers leave in replies."""

_FENCE = "```"


class _Reason(NamedTuple):
    """A reason that was cut out, and the place in the rest where it stood."""

    name: str
    text: str
    at: int


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
        """Place of the score, in messages."""
        return f"between <{self.name}> and </{self.name}>"

    def find(self, reply: str) -> float | None:
        """Return the score, or None if nothing outside the reasons looks like the tag.

        A quotation from the answer may hold the tag, too. So reasons are cut out first. In the rest, one score may stand, and
        nothing behind it.

        Raises:
            DecodingError: There is another score, something like the tag, or text behind the score.
        """
        rest, cut = _without_reasons(reply, self.reasons)
        marks = list(self._alike.finditer(rest))
        if not marks:
            return None
        found = list(between_tags(self.name).finditer(rest))
        if not found:
            raise DecodingError(f"no score {self.where}, but {shown(rest[marks[0].start() :])}")
        score = one_score([self.read(match[1]) for match in found], self.scale, self.where)
        if len(marks) != 2:  # noqa: PLR2004 - the tags around the score
            raise DecodingError(f"more than one score {self.where}: {shown(rest[marks[0].start() :])}")
        before, behind = rest[: found[0].start()], rest[found[0].end() :]
        self._require_no_reasons_around(cut, before)
        if _FENCE in behind and _FENCE not in before and sum(reason.text.count(_FENCE) for reason in cut) % 2:
            raise DecodingError("the score is in a fence that begins in the reasons")
        _require_nothing_behind(before, behind)
        self.second.refuse(before, score)
        return score

    @property
    def _alike(self) -> re.Pattern[str]:
        """Pattern of the tag, whole or broken, or escaped, in any letters."""
        return re.compile(rf"(?:<|&lt;|\[|\uff1c|\u2039)[\s/\\]{{0,4}}{self.name}(?!\w)", re.IGNORECASE)

    def _require_no_reasons_around(self, cut: Sequence[_Reason], before: str) -> None:
        """Refuse reasons that may begin or end elsewhere, as an answer may hold their tags."""
        ended = {reason.name for reason in cut if reason.at <= len(before)}
        for name in {reason.name for reason in cut if reason.at > len(before)}:
            if name in ended or re.compile(f"</{name}>", _LETTERS).search(before):
                raise DecodingError("the reasons go on behind the score")
        for reason in cut:
            again = re.compile(f"<{reason.name}>", _LETTERS).search(reason.text)
            if again is not None and self._alike.search(reason.text, 0, again.start()) is not None:
                raise DecodingError(f"<{reason.name}> begins again behind a score")


def between_tags(name: str) -> re.Pattern[str]:
    """Return a pattern of the text between tags of a name, in any case."""
    return re.compile(f"<{name}>([^<]*+)</{name}>", _LETTERS)


def tagged_reason(reply: str, names: Sequence[str]) -> str | None:
    """Return the text between the first tags of each name, or None if there is none."""
    texts = (_between(reply, name) for name in names)
    return "\n".join(filter(None, texts)) or None


def _between(reply: str, name: str) -> str:
    """Return the text between the first opening tag and the next closing one.

    The search cannot backtrack.
    """
    opening = re.search(f"<{name}>", reply, _LETTERS)
    if opening is None:
        return ""
    closing = re.compile(f"</{name}>", _LETTERS).search(reply, opening.end())
    return reply[opening.end() : closing.start()].strip() if closing else ""


def _without_reasons(reply: str, names: Sequence[str]) -> tuple[str, list[_Reason]]:
    """Cut the reasons out of a reply, each from its tag to the next closing tag of the name.

    A line break takes their place, so that no tag is made of the texts around them.
    """
    if not names:
        return reply, []
    closings = {name.lower(): re.compile(f"</{name}>", _LETTERS) for name in names}
    opening = re.compile(f"<({'|'.join(closings)})>", _LETTERS)
    kept, cut, at, length = list[str](), list[_Reason](), 0, 0
    for found in opening.finditer(reply):
        name = found[1].lower()
        if found.start() < at or name not in closings:
            continue
        end = closings[name].search(reply, found.end())
        if end is None:  # nor behind any later tag of the name: so the time stays linear
            del closings[name]
            continue
        kept.append(reply[at : found.start()])
        length += found.start() - at + 1
        cut.append(_Reason(name, reply[found.end() : end.start()], length))
        at = end.end()
    return "\n".join([*kept, reply[at:]]), cut


def _require_nothing_behind(before: str, behind: str) -> None:
    """Refuse text behind the score.

    A backtick may close behind it if one opens directly before it, and a quotation mark if the whole reply stands in them.
    Elsewhere they end a quotation.
    """
    marks = before[len(before.rstrip(f"{QUOTES}{DECORATION}")) :]
    if "`" in marks:
        behind = behind.strip(DECORATION)
    if marks == before and not set(marks).isdisjoint(QUOTES):
        behind = behind.strip(f"{QUOTES}{DECORATION}")
    if _NOTHING.fullmatch(behind) is None:
        raise DecodingError(f"text behind the score: {shown(behind)}")
