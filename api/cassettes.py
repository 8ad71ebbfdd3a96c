"""Judges that answer from a cassette: replies that are kept beside the tests that rest on them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from .judging import ReadyJudge, judge
from .places import FilePath

_NOWHERE: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "api_key": None, "connection": None}
"""In place of an endpoint, where none is asked and none has to be configured."""


def cassette_judge(prompt: FilePath, path: Path, *, ask: bool, **options: Any) -> ReadyJudge:
    """Make a judge that answers from a cassette.

    Args:
        prompt: A judge's name, or the path of a ``.prompty`` file.
        path: The cassette: a recording; made when questions are asked.
        ask: Whether what is not in it is asked for and added; where not, such a question raises a MissingReplyError.
        **options: Of `judge`.
    """
    again = partial(cassette_judge, prompt, path, ask=ask, **options)
    if ask:
        made = judge(prompt, **options)
        return ReadyJudge(made.task, msgspec.structs.replace(made.access, cassette=path), again)
    made = judge(prompt, **options | _NOWHERE)
    access = msgspec.structs.replace(
        made.access, cassette=path, endpoint=None, cache=None, record=None, budget=None
    )
    return ReadyJudge(made.task, access, again)
