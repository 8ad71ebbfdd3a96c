"""Docstring summaries follow the style guide: one short line, an imperative or a noun phrase."""

from __future__ import annotations

from source_tree import LONGEST_SUMMARY, POOR_BEGINNING, ROOT, Summary, product_files, summaries


def _of_product() -> list[Summary]:
    return [each for path in product_files() for each in summaries(path)]


def _places(found: list[Summary]) -> list[str]:
    return [f"{each.file.relative_to(ROOT)}:{each.line}: {each.text}" for each in found]


def test_nearly_every_summary_fits_on_a_short_line():
    lines = _of_product()
    long = [each for each in lines if len(each.text) > LONGEST_SUMMARY]
    assert len(long) <= 0.03 * len(lines), _places(long)


def test_summaries_begin_with_a_verb_or_a_noun():
    lines = _of_product()
    poor = [each for each in lines if POOR_BEGINNING.match(each.text)]
    assert len(poor) <= 0.02 * len(lines), _places(poor)
