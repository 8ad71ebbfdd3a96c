from __future__ import annotations

import hashlib
import json
from pathlib import Path

from fiducial.evaluation.batch.batch_files import file_numbering, read_custom_ids, write_batch
from fiducial.judges import make_request

REQUESTS = [make_request("m", [{"role": "user", "content": f"{number}"}], {}) for number in range(7)]


def test_a_file_is_split_where_providers_would_refuse_more_requests(tmp_path: Path):
    files = write_batch(iter(REQUESTS), file_numbering(tmp_path / "asked.jsonl"), max_requests=3)
    assert [(file.path.name, file.requests) for file in files] == [
        ("asked.jsonl", 3),
        ("asked-2.jsonl", 3),
        ("asked-3.jsonl", 1),
    ]
    ids = [name for file in files for name in read_custom_ids(file.path)]
    assert ids == [request.key for request in REQUESTS]


def test_a_file_is_split_where_providers_would_refuse_more_bytes(tmp_path: Path):
    whole = write_batch(REQUESTS, file_numbering(tmp_path / "whole.jsonl"))
    size = whole[0].path.stat().st_size
    files = write_batch(REQUESTS, file_numbering(tmp_path / "part.jsonl"), max_bytes=size // 2)
    assert [file.requests for file in files] == [3, 3, 1]
    assert all(file.path.stat().st_size <= size // 2 for file in files)


def test_a_request_that_is_too_long_by_itself_is_left_to_the_provider(tmp_path: Path):
    files = write_batch(REQUESTS[:2], file_numbering(tmp_path / "asked.jsonl"), max_bytes=1)
    assert [file.requests for file in files] == [1, 1]


def test_the_hash_is_of_the_bytes(tmp_path: Path):
    (file,) = write_batch(REQUESTS, file_numbering(tmp_path / "asked.jsonl"))
    assert file.sha256 == hashlib.sha256(file.path.read_bytes()).hexdigest()


def test_nothing_to_ask_makes_no_file(tmp_path: Path):
    assert write_batch([], file_numbering(tmp_path / "asked.jsonl")) == []


def test_a_name_that_is_taken_is_skipped(tmp_path: Path):
    taken = [tmp_path / "asked.jsonl", tmp_path / "Asked-3.jsonl"]
    name = file_numbering(tmp_path / "asked.jsonl", taken)
    assert [name(number).name for number in (1, 2)] == ["asked-2.jsonl", "asked-4.jsonl"]
    assert list(tmp_path.iterdir()) == []


def test_a_line_holds_the_whole_request(tmp_path: Path):
    request = make_request("m", [{"role": "user", "content": "é\n"}], {"temperature": 0.0})
    (file,) = write_batch([request], file_numbering(tmp_path / "asked.jsonl"), url="/chat/completions")
    assert json.loads(file.path.read_text()) == {
        "custom_id": request.key,
        "method": "POST",
        "url": "/chat/completions",
        "body": {
            "model": "m",
            "messages": [{"role": "user", "content": "é\n"}],
            "temperature": 0.0,
        },
    }
