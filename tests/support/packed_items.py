"""Unpacks the items of a report as its script does."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any


def unpacked(letters: str) -> Any:
    return json.loads(zlib.decompress(base64.b85decode(str(letters).replace('"', "<"))))


def index_of(page: str) -> dict[str, Any]:
    found = re.search(r'id="index">([^<]*)<', page)
    assert found is not None
    return unpacked(found[1])


def texts_of(page: str) -> list[str]:
    """The texts of the items, in the order of the list."""
    pages = [page for chunk in re.findall(r'class="chunk">([^<]*)<', page) for page in unpacked(chunk)]
    return [pages[place] for place in index_of(page)["places"]]
