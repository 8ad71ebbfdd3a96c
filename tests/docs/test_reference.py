"""The reference names what is public."""

from __future__ import annotations

import re
from pathlib import Path

import fiducial as fd

ROOT = Path(__file__).parents[2]


def test_the_reference_names_what_there_is_and_the_rest_is_added_when_it_is_built():
    page = (ROOT / "docs" / "reference.rst").read_text("utf-8")
    named = re.findall(r"^\.\. auto\w+:: fiducial\.(\w+)$", page, re.MULTILINE)
    assert named
    assert sorted(set(named) - {*fd.__all__, "errors"}) == []
