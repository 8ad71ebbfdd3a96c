"""Tables of references or labels that arrive later."""

from __future__ import annotations

from pathlib import Path

from each_row import each_row

from fiducial.records.scale import Scale
from fiducial.tables.joined_table import joined_table


@each_row("name", ["ground_truth", "Ground Truth", "GROUND-TRUTH"])
@each_row(("values", "is_label"), [(("pass", "fail"), True), (("Rome", "Pisa"), False)])
def test_values_decide_whether_ground_truth_is_a_label_or_a_reference(
    tmp_path: Path, name: str, values: tuple[str, str], is_label: bool
):
    file = tmp_path / "t.csv"
    file.write_text(f"id,{name}\na,{values[0]}\nb,{values[1]}\n")
    table = joined_table(file, {}, Scale.from_ends())
    assert (table.has_labels, table.references) == (is_label, [] if is_label else [name])
