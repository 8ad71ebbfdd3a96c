"""Show two versions of a text as one, with deletions and insertions marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

from markupsafe import Markup

from .document_parts import Block, filled, fit, joined
from .text.safe_text import shortened

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_MAX_WORDS = 2_000
"""Most words and signs of both texts that are compared; others are shown as replaced, to bound the cost."""

_MAX_CHANGE_CHARS = 120
"""Longest description of a change."""
_MAX_LINE_CHARS = 600
"""Longest text on a terminal."""

_PartKind: TypeAlias = Literal["same", "out", "in"]


class _Part(NamedTuple):
    sort: _PartKind
    text: str


class TextChange(Block, frozen=True):
    """Block that shows a text and its changed version as one text.

    Attributes:
        before: The text.
        after: The changed text.
        change: Description of the change, for versions that are equal as texts.
    """

    before: str
    after: str
    change: str = ""

    def lines(self) -> Iterator[str]:
        """Render for a terminal: ``[-out-]`` and ``{+in+}``."""
        marks = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
        whole = "".join(marks[part.sort].format(part.text) for part in self._parts())
        yield f"{self._title}: {shortened(' '.join(whole.split()), _MAX_LINE_CHARS)}"

    def markup(self) -> Markup:
        """Render as HTML, every text escaped."""
        marks = {"same": Markup("%s"), "out": Markup("<del>%s</del>"), "in": Markup("<ins>%s</ins>")}
        parts = joined(marks[part.sort] % fit(part.text) for part in self._parts())
        block = '<section class="block"><h4>%s</h4><pre class="change" dir="auto">%s</pre></section>'
        return filled(block, fit(self._title), parts)

    @property
    def _title(self) -> str:
        if self.before == self.after:
            return f"Right answer, unchanged; {self.change or 'as it is'}"
        return f"Right answer, and what was planted{self.change and f' ({shortened(self.change, _MAX_CHANGE_CHARS)})'}"

    def _parts(self) -> Iterator[_Part]:
        before, after = _WORD.findall(self.before), _WORD.findall(self.after)
        if len(before) + len(after) > _MAX_WORDS:
            yield from (_Part("out", self.before), _Part("in", self.after))
            return
        # Without `autojunk`, which ignores frequent words such as blanks in long texts.
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for operation, start, end, new_start, new_end in matcher.get_opcodes():
            if operation == "equal":
                yield _Part("same", "".join(before[start:end]))
                continue
            if start < end:
                yield _Part("out", "".join(before[start:end]))
            if new_start < new_end:
                yield _Part("in", "".join(after[new_start:new_end]))
