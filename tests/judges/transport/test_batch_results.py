from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
from batch_server import error_line, result_line

from fiducial.errors import RecordError
from fiducial.judges import BatchResults, CallError, Reply
from fiducial.judges.transport import NotRecordedError

Read: TypeAlias = Callable[..., BatchResults]


@pytest.fixture
def results(tmp_path: Path) -> Iterator[Read]:
    """The results of files with these contents."""
    with ExitStack() as exits:

        def read(*contents: bytes) -> BatchResults:
            paths = [tmp_path / f"{number}.jsonl" for number, _ in enumerate(contents)]
            for path, content in zip(paths, contents, strict=True):
                path.write_bytes(content)
            found = BatchResults(paths)
            exits.callback(found.close)
            return found

        yield read


def failure(results: BatchResults, key: str = "a") -> str:
    with pytest.raises(CallError) as caught:
        results.find(key)
    return str(caught.value)


def test_a_result_is_a_reply_with_what_it_cost(results: Read):
    found = results(result_line("a", "yes", finish_reason="length")).find("a")
    assert found == Reply(
        text="yes", finish_reason="length", served_by="m", prompt_tokens=100, completion_tokens=10
    )


def test_a_reply_counts_more_than_an_error_and_a_later_one_more_than_an_earlier_one(results: Read):
    found = results(
        result_line("a", "old") + error_line("b", 500), error_line("a", 500) + result_line("b", "new")
    )
    assert (found.find("a").text, found.find("b").text) == ("old", "new")
    assert results(result_line("a", "old"), result_line("a", "new")).find("a").text == "new"


def test_a_prompt_that_the_content_filter_stopped_is_a_refusal(results: Read):
    found = results(error_line("a", 400, "content_filter")).find("a")
    assert (found.refusal, found.finish_reason) == ("scripted 400", "content_filter")


def test_half_of_a_surrogate_pair_spoils_neither_the_file_nor_its_reply(results: Read):
    odd = result_line("a", "yes#").replace(b"#", b"\\ud800")
    found = results(odd + result_line("b", "no"))
    assert (found.find("a").text, found.find("b").text) == ("yes\ufffd", "no")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (error_line("a", 429), "in the batch: HTTP 429: scripted 429"),
        (
            b'{"custom_id": "a", "error": {"code": "batch_expired", "message": "too late"}}\n',
            "in the batch: batch_expired: too late",
        ),
        (b'{"custom_id": "a", "error": "out of memory"}\n', "in the batch: error: out of memory"),
        (
            b'{"custom_id": "a", "response": {"status_code": 500, "body": "<html>"}}\n',
            "in the batch: HTTP 500: no reason given",
        ),
        (
            b'{"custom_id": "a", "response": {"status_code": 404, "body": {"error": "no model"}}}\n',
            "in the batch: HTTP 404: no model",
        ),
        (
            b'{"custom_id": "a", "response": {"status_code": 200, "body": ' + b"9" * 5000 + b"}}\n",
            "the result's body cannot be read",
        ),
        (b'{"custom_id": "a"}\n', "in the batch: error: no reason given"),
        (b'{"custom_id": "a", "response": {"status_code": 200}}\n', "the response is no chat completion"),
        (
            b'{"custom_id": "a", "response": {"status_code": 200, "body": {"choices": []}}}\n',
            "the response is a chat completion without a choice",
        ),
    ],
)
def test_what_is_no_reply_says_what_it_is(results: Read, line: bytes, said: str):
    assert failure(results(line)).startswith(said)


def test_a_request_without_a_result_is_not_recorded_and_no_call(results: Read):
    with pytest.raises(NotRecordedError) as caught:
        results(b"").find("a")
    assert caught.value.calls == 0


def test_a_cut_off_last_line_is_passed_over_and_any_other_is_named(results: Read, tmp_path: Path):
    whole = result_line("a", "1")
    assert len(results(whole + whole[:40])) == 1
    with pytest.raises(RecordError, match=r"0\.jsonl:1: not a batch result"):
        results(whole[:40] + b"\n" + whole)
