"""Files of tables, as tests write them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any


def written(rows: list[dict[str, Any]], path: Path) -> Path:
    """Write rows as CSV, JSON Lines or JSON, by the file's suffix."""
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(json.dumps(rows))
    return path
