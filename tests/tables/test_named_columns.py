from __future__ import annotations

from fiducial.tables.named_columns import shown_columns


def test_a_message_names_ten_columns_and_counts_the_others():
    names = [f"k{number}" for number in range(12)]
    assert shown_columns(names[:10]) == ", ".join(map(repr, names[:10]))
    assert shown_columns(names) == f"{', '.join(map(repr, names[:10]))} and 2 more"
