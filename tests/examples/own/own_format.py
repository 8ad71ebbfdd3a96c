import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fiducial as fd


@fd.file_format("quiz")
def read_quiz(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            question = [{"role": "user", "content": row["question"]}]
            answers = {"answers": row["accepted"].split("|")}
            yield {
                "id": f"quiz-{number}",
                "kind": "memory_answer",
                "messages": question,
                "reference": answers,
            }
            yield {"case_id": f"quiz-{number}", "system": "quiz", "text": row["answer"]}
