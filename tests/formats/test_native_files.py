"""Files in fiducial's own form are refused by an import, with the command that reads them."""

import json
from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.formats.readers import find_format

CASE: dict[str, object] = {
    "id": "trip",
    "kind": "tool_call",
    "messages": [{"role": "user", "content": "Book Rome."}],
}
OUTPUT: dict[str, object] = {"case_id": "trip", "system": "a", "text": "Booked.", "tool_calls": []}
VERDICT: dict[str, object] = {
    "case_id": "trip",
    "system": "a",
    "source": "human",
    "by": "ann",
    "outcome": "graded",
    "score": 1.0,
}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (CASE, "already holds fiducial's cases; grade outputs for them: `fiducial run {} --outputs FILE`"),
        (OUTPUT, "already holds fiducial's outputs; grade them: `fiducial run CASES --outputs {}`"),
        (
            VERDICT,
            "already holds fiducial's verdicts; labels among them are used by `fiducial run --labels {}`",
        ),
    ],
)
def test_a_file_of_own_records_is_refused_with_the_command_that_reads_it(
    record: dict[str, object], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record) + "\n")
    with pytest.raises(InputError) as refused:
        find_format(path)
    assert told.format(path) in str(refused.value)


def test_a_folder_of_own_records_names_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (tmp_path / "outputs.jsonl").write_text(json.dumps(OUTPUT) + "\n")
    with pytest.raises(InputError, match=r"cases\.jsonl: needs no import"):
        find_format(tmp_path)


def test_a_run_folder_is_refused_though_its_files_look_like_logs(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"messages": [{"role": "user", "content": "x"}]}')
    (tmp_path / "verdicts.jsonl").touch()
    with pytest.raises(InputError, match="is the folder of a run, and needs no import: `fiducial report"):
        find_format(tmp_path)


def test_a_chat_beside_an_earlier_import_is_still_found(tmp_path: Path) -> None:
    (tmp_path / "an_import").mkdir()
    (tmp_path / "an_import" / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": chat}) + "\n")
    assert find_format(tmp_path) == "openai"


def test_a_record_with_keys_of_another_tool_is_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps({**OUTPUT, "question": "Where to?", "answer": "Rome"}) + "\n")
    assert find_format(path) == "json"
