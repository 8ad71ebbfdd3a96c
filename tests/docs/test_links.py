"""Pages lead where they say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split()


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_to_a_file_leads_somewhere(page: str):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / page).read_text("utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_the_documentation_is_linked_and_not_only_named(page: str):
    assert re.findall(r"(?<!\[)`docs/[a-z0-9/-]+\.md`", (ROOT / page).read_text("utf-8")) == []
