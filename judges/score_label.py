"""Label, such as ``Score:``, that a prompt tells the judge to write before its score."""

from __future__ import annotations

import re
from typing import Any

_LABEL = r"(?:(?:[Ff]inal|FINAL|[Oo]verall|OVERALL|[Tt]otal|TOTAL)[ ])?(?:[Ss]core|SCORE|[Rr]ating|RATING|[Gg]rade|GRADE):"
_WHY = r"(?:[Rr]eason(?:ing)?|[Ee]xplanation|[Rr]ationale|[Jj]ustification|[Ff]eedback|[Tt]houghts?):"
_START = r"[ \t>*_-]{0,8}"
_SHOWN = re.compile(
    rf"""["'`\u201c]({_LABEL})                             # in quotes: reply with "Score:" and a number
    | ^{_START}({_LABEL})[*_]{{0,2}}[ \t]{{0,4}}(?=        # or a line of its own, before
        [<\[({{]                                         # a placeholder,
      | [-+]?[\d.]{{1,8}}(?:[ ]?(?:-|\u2013|to)[ ]?[\d.]{{1,8}})?[ \t]*$     # an example, a range
      | [NX_]{{1,8}}[ \t]*$                               # or a blank
    )
    | ^{_START}{_WHY}[^\n]{{0,400}}\n{_START}({_LABEL})     # or the line after one for the reason
    """,
    re.VERBOSE | re.MULTILINE,
)
_WHY_LINE = re.compile(rf"(?:^{_START}|[\"'`\u201c]){_WHY}", re.MULTILINE)


def labelled_score(template: str) -> dict[str, Any] | None:
    """Return the parse settings for the number after a label; None if the prompt shows no label.

    If the reason follows the score, no parser reads such replies. Neither does a label alone tell: at the end of a prompt it
    only cues the reply.
    """
    shown = list(_SHOWN.finditer(template))
    if not shown or _WHY_LINE.search(template, shown[-1].end()):
        return None
    return {"mode": "number", "after": next(filter(None, shown[-1].groups()))}
