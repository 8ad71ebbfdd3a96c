"""Inspect's logs, and scores for its ``precomputed_scores``.

A sample is a case, an epoch a trial of the logged model; messages after the input are the answer's steps. A score, or each of
its values (``scorer/value``), is a verdict under its scorer's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InputError, RecordError, readable
from ..records import UNGRADED, Outcome
from ..records.jsonl import MAX_LINE_BYTES
from ..tables.json_rows import decode, read_document
from .calls import AgentAnswer, answer_of, messages_of, role_of
from .example import Example, answers_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, files_of, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, Skipped
from .imported_scores import ImportedScore, collect_parts, collect_scores, scored, unscored
from .json_values import is_list, is_object, number_in, tags_of
from .zipped import Zipped

NAME = "inspect"
ABOUT = "logs (`.eval`, `.json`), scores for `precomputed_scores` (JSON Lines)"
LOST = "events, attachments, non-text content, usage, sandboxes; a user's messages during a run are listed"

_OUTCOME_OF_REASON: dict[str, Outcome] = {
    "invalid_response_format": "unparsable",
    "refusal": "refused",
    "no_response": "failed",
    "grader_failed": "failed",
    "scoring_failed": "failed",
    **{outcome: outcome for outcome in UNGRADED},
}
"""Outcome of an unscored sample by Inspect's reason; for any other reason, ``not_applicable``."""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a log, or a precomputed score."""
    if not is_object(glimpse):
        return False
    is_log = "eval" in glimpse and ("status" in glimpse or "samples" in glimpse)
    return is_log or ({"id", "value"} <= glimpse.keys() and glimpse.keys() <= _PRECOMPUTED_FIELDS)


_ATTACHMENT_PREFIX = "attachment://"
_FIELDS_WITH_ATTACHMENTS = ("input", "messages", "output", "target")
_PRECOMPUTED_FIELDS = {"id", "value", "epoch", "answer", "explanation", "metadata"}


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read logs; see `Format`."""
    for file in files_of(path, (".eval", ".json")):
        try:
            yield from _read_file(file, options)
        except InputError as error:
            if not path.is_dir():  # folders of logs hold other files, too
                raise
            yield FilePosition(file).skipped(error)


def _read_file(path: Path, options: Options) -> Iterator[ImportedRecord]:
    if _is_zip(path):
        return _read_zip(path, options)
    if path.suffix == ".jsonl":
        return convert_rows(read_rows(path), lambda row: [_precomputed(row, options)])
    return _read_json(path, options)


def _is_zip(path: Path) -> bool:
    with readable(path), path.open("rb") as file:
        return file.read(2) == b"PK" or path.suffix == ".eval"


def _read_zip(path: Path, options: Options) -> Iterator[ImportedRecord]:
    with Zipped(path) as archive:
        position = FilePosition(path)
        header_file = next(
            (name for name in ("header.json", "_journal/start.json") if name in archive.members), None
        )
        if header_file is None:
            raise InputError(
                "no log of Inspect: neither header.json nor _journal/start.json is in it", path=path
            )
        try:
            log = FieldReader(decode(archive.read(header_file)), header_file)
            system, planned_count = _system(log, options), _planned_samples(log)
        except RecordError as error:
            raise InputError(error.message, path=path, field=error.field or header_file) from error
        sample_files = [
            name for name in archive.members if name.startswith("samples/") and name.endswith(".json")
        ]
        yield from _note_if_unfinished(log, position, len(sample_files), planned_count)

        def rows() -> Iterator[FileRow | Skipped]:
            for name in sample_files:
                try:
                    yield FileRow(decode(archive.read(name)), position, name)
                except InputError as error:
                    yield position.skipped_part(name, error.message)

        yield from convert_rows(rows(), lambda row: read_sample(row.node, position, system, options))


def _read_json(path: Path, options: Options) -> Iterator[ImportedRecord]:
    document, position = read_document(path), FilePosition(path)
    if is_list(document):
        yield from convert_rows(read_rows(path), lambda row: [_precomputed(row, options)])
        return
    try:
        log = FieldReader(document)
        if "eval" not in log:
            raise log.refuse("eval", "a log of Inspect")
        system, samples, planned_count = _system(log, options), log.items("samples"), _planned_samples(log)
    except InputError as error:
        raise InputError(error.message, path=path, field=error.field) from error
    yield from _note_if_unfinished(log, position, len(samples), planned_count)
    rows = (FileRow(sample, position, at) for at, sample in samples)
    yield from convert_rows(rows, lambda row: read_sample(row.node, position, system, options))


def _planned_samples(log: FieldReader) -> int | None:
    """Return the planned number of samples times epochs, or None if unknown."""
    dataset, config = log.node("eval").node("dataset"), log.node("eval").node("config")
    sample_ids = dataset.items("sample_ids")
    samples = len(sample_ids) or dataset.whole("samples")
    return None if samples is None else samples * (config.whole("epochs") or 1)


def _note_if_unfinished(
    log: FieldReader, position: FilePosition, stored_count: int, planned_count: int | None
) -> Iterator[Skipped]:
    """Yield a skipped entry if a log ended before all samples."""
    status = log.get("status")
    if status == "success" or planned_count is None or stored_count >= planned_count:
        return
    ending = {"cancelled": "was cancelled", "error": "ended with an error"}.get(
        str(status), "is not finished"
    )
    yield position.skipped_part("status", f"the log {ending}: {stored_count:,} of {planned_count:,} samples")


def _system(log: FieldReader, options: Options) -> str:
    header = log.node("eval")
    model = header.node("metadata").text("fiducial.system") or header.name("model")
    return options.system if model in {None, "none/none", "none"} else str(model)


def read_sample(
    sample: FieldReader, position: FilePosition, system: str, options: Options
) -> Iterator[ImportedRecord]:
    """Yield a log sample's records: its case, its output, its verdicts, and skipped parts.

    Raises:
        RecordError: A field of the sample is invalid.
    """
    sample = _with_attachments(sample)
    question = messages_of(sample.get("input"), sample.path("input"))
    answer, user_paths = _answer_and_user_paths(sample, len(question))
    if sample.items("choices"):  # a solver wrote these into the question, which the input does not have
        messages = sample.nodes("messages")
        end = _index_of_reply([role_of(message) for message in messages])
        question = [
            message for reader in messages[:end] for message in messages_of(reader.value, reader.at)
        ] or question
    yield from (
        position.skipped_part(field, "a user's message during the run has no place in an answer")
        for field in user_paths
    )
    error = sample.node("error")
    example = Example(
        id=sample.need("id"),
        messages=question,
        tools=_tools(sample),
        accepted=[text for text in answers_of(sample.get("target")) if text.strip()],
        tags=tags_of(sample.node("metadata").value),
        answer=answer,
        error=error.text("message") if error.value else None,
        system=system,
        trial=max((sample.whole("epoch") or 1) - 1, 0),
    )
    scorers: list[str] = []
    yield from collect_scores(scorers, ["scores"], lambda name: sample.node(name).value, position)
    yield from collect_parts(
        example.scores, scorers, lambda by: _score_parts(by, sample.node("scores").node(by)), position
    )
    yield from records_of(example, position, options)


def _with_attachments(sample: FieldReader) -> FieldReader:
    """Return a sample with its long texts put back in place; a log stores them separately."""
    texts = sample.node("attachments").value
    if not texts:
        return sample
    attachments = _Attachments(texts)
    parts = {name: attachments.put_back(sample.value.get(name)) for name in _FIELDS_WITH_ATTACHMENTS}
    first_request = _first_request(sample)
    # Of the events, only the first request is read later, for its tools.
    events = [] if first_request is None else [attachments.put_back(first_request.value)]
    return FieldReader({**sample.value, **parts, "events": events}, sample.at)


class _Attachments:
    """Long texts of a sample by name.

    A sample may repeat one text any number of times, so the result is bounded like a line of a file.
    """

    def __init__(self, attachments: dict[str, Any]) -> None:
        self._texts = attachments
        self._chars_left = MAX_LINE_BYTES

    def put_back(self, value: Any) -> Any:
        """Return a value with names of attachments replaced by their texts."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT_PREFIX):
            return self._text(value)
        if is_list(value):
            return [self.put_back(item) for item in value]
        return {name: self.put_back(item) for name, item in value.items()} if is_object(value) else value

    def _text(self, name: str) -> Any:
        text = self._texts.get(name.removeprefix(_ATTACHMENT_PREFIX), name)
        self._chars_left -= len(text) if isinstance(text, str) else 0
        if self._chars_left < 0:
            raise RecordError(
                f"its attachments come to more than {MAX_LINE_BYTES >> 20} MiB", field="attachments"
            )
        return text


def _tools(sample: FieldReader) -> list[dict[str, Any]]:
    request = _first_request(sample)
    return [] if request is None else [tool.value for tool in request.nodes("tools")]


def _first_request(sample: FieldReader) -> FieldReader | None:
    return next((event for event in sample.nodes("events") if event.get("event") == "model"), None)


def _answer_and_user_paths(sample: FieldReader, question_length: int) -> tuple[AgentAnswer | None, list[str]]:
    """Return the model's answer to the input, and the paths of the user's messages within it."""
    messages = sample.nodes("messages")
    # A system message that a solver put in front is not in the input.
    roles = [role_of(message) for message in messages]  # of the question's too, which must be texts
    reply_at = question_length + _index_of_reply(roles[question_length:])
    if reply_at >= len(messages):
        output = sample.node("output")
        text = output.text("completion")
        # A reply without a word is an answer; a sample that failed, or that no model was asked about, has none.
        has_reply = bool(output.nodes("choices")) and not sample.node("error").value
        return (AgentAnswer(text or "") if text or has_reply else None), []
    answer_messages = messages[reply_at:]
    answer = answer_of(answer_messages)
    completion = sample.node("output").text("completion")
    if completion and not answer.calls:
        answer = answer._replace(text=completion)
    return answer, [reader.at for reader in answer_messages if role_of(reader) == "user"]


def _index_of_reply(roles: Sequence[str | None]) -> int:
    """Return the index of the model's first message, or the number of messages without one."""
    return next((at for at, role in enumerate(roles) if role == "assistant"), len(roles))


def _score_parts(by: str, score: FieldReader) -> Iterator[Callable[[], ImportedScore]]:
    """Yield a function per value of a score; a score without values gives one ungraded score."""
    value = score.value.get("value")
    explanation = score.text("explanation")
    metadata = score.node("metadata")
    reason = score.text("reason") or metadata.text("unscored_reason")
    details: dict[str, Any] = {"answer": score.text("answer"), "metadata": metadata.value or None}
    if is_list(value):
        value = {str(number): part for number, part in enumerate(value)}
    parts = {by: value}
    if is_object(value):
        parts = {f"{by}/{name}": part for name, part in value.items()} or {by: None}
    for name, part in parts.items():
        if part is None or (isinstance(part, float) and math.isnan(part)):
            evidence = {**details, "unscored": reason}
            outcome = _OUTCOME_OF_REASON.get(reason or "", "not_applicable")
            yield partial(unscored, name, outcome, explanation or reason or "not scored", evidence=evidence)
        else:
            yield partial(
                scored,
                name,
                number_in(part),
                reason=explanation,
                field=score.path("value"),
                written="letters",
                evidence=details,
            )


def _precomputed(row: FileRow, options: Options) -> ImportedRecord:
    """Read a score for `precomputed_scores`; its sample is not in the file."""
    score = row.node
    value = score.value.get("value")
    if (is_list(value) or is_object(value)) and len(value) != 1:
        raise score.refuse("value", "one score")
    (part,) = _score_parts("precomputed_scores", score)
    imported_score = options.converter.convert(part())
    return imported_score.verdict(score.need("id"), options.system, max((score.whole("epoch") or 1) - 1, 0))
