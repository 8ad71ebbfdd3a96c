"""YAML is read within bounds."""

from __future__ import annotations

import pytest

from fiducial.records.bounded_yaml import YamlError, read_bounded_yaml


@pytest.mark.attack("inputs of others")
def test_quoted_closing_brackets_hide_no_deep_nesting():
    text = f'a: "{"]" * 200}"\nb: {"[" * 101}{"]" * 101}'
    with pytest.raises(YamlError, match="nested too deeply"):
        read_bounded_yaml(text, most_nodes=1_000)


def test_brackets_side_by_side_are_not_deep():
    assert read_bounded_yaml(f"[{'[], ' * 150}[]]", most_nodes=1_000).value == [[]] * 151


def test_a_file_of_more_values_than_allowed_is_refused():
    with pytest.raises(YamlError, match="more than 3 keys and values"):
        read_bounded_yaml("[1, 2, 3]", most_nodes=3)
