"""Docstring summaries follow the style guide: short, an imperative or a noun phrase."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from source_tree import (
    MAX_SUMMARY_LENGTH,
    POOR_BEGINNING,
    ROOT,
    Summary,
    other_files,
    product_files,
    summaries,
)

_SHARES = [pytest.param(product_files, 0, id="package"), pytest.param(other_files, 0.01, id="the rest")]


def _of(files: Iterable[Path]) -> list[Summary]:
    return [summary for path in files for summary in summaries(path)]


def _places(found: list[Summary]) -> list[str]:
    return [f"{summary.file.relative_to(ROOT)}:{summary.line}: {summary.text}" for summary in found]


@pytest.mark.parametrize(("files", "share"), _SHARES)
def test_summaries_fit_on_a_short_line_and_begin_with_a_verb_or_a_noun(
    files: Callable[[], Iterable[Path]], share: float
):
    lines = _of(files())
    long = [line for line in lines if len(line.text) > MAX_SUMMARY_LENGTH]
    assert len(long) <= share * len(lines), _places(long)
    poor = [line for line in lines if POOR_BEGINNING.match(line.text)]
    assert len(poor) <= share * len(lines), _places(poor)
