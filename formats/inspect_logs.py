"""Inspect's logs, and scores for its ``precomputed_scores``.

A sample is a case, an epoch a trial of the logged model; messages after the input are the answer's steps. A score, or each of
its values (``scorer/value``), is a verdict under its scorer's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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

_OUTCOMES: dict[str, Outcome] = {
    "invalid_response_format": "unparsable",
    "refusal": "refused",
    "no_response": "failed",
    "grader_failed": "failed",
    "scoring_failed": "failed",
    **{own: own for own in UNGRADED},
}
"""Outcomes of unscored samples by Inspect's words; any other is not applicable."""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a log, or a precomputed score."""
    if not is_object(glimpse):
        return False
    log = "eval" in glimpse and ("status" in glimpse or "samples" in glimpse)
    return log or ({"id", "value"} <= glimpse.keys() and glimpse.keys() <= _PRECOMPUTED)


_ATTACHMENT = "attachment://"
_WITH_ATTACHMENTS = ("input", "messages", "output", "target")
_PRECOMPUTED = {"id", "value", "epoch", "answer", "explanation", "metadata"}


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
        head = next(
            (name for name in ("header.json", "_journal/start.json") if name in archive.members), None
        )
        if head is None:
            raise InputError(
                "no log of Inspect: neither header.json nor _journal/start.json is in it", path=path
            )
        try:
            log = FieldReader(decode(archive.read(head)), head)
            system, planned = _system(log, options), _planned(log)
        except RecordError as error:
            raise InputError(error.message, path=path, field=error.field or head) from error
        stored = [name for name in archive.members if name.startswith("samples/") and name.endswith(".json")]
        yield from _unfinished(log, position, len(stored), planned)

        def rows() -> Iterator[FileRow | Skipped]:
            for name in stored:
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
        system, samples, planned = _system(log, options), log.items("samples"), _planned(log)
    except InputError as error:
        raise InputError(error.message, path=path, field=error.field) from error
    yield from _unfinished(log, position, len(samples), planned)
    rows = (FileRow(sample, position, at) for at, sample in samples)
    yield from convert_rows(rows, lambda row: read_sample(row.node, position, system, options))


def _planned(log: FieldReader) -> int | None:
    """Return the number of samples that a log was to have, epochs counted, or None if unknown."""
    dataset, config = log.node("eval").node("dataset"), log.node("eval").node("config")
    chosen = dataset.items("sample_ids")
    samples = len(chosen) or dataset.whole("samples")
    return None if samples is None else samples * (config.whole("epochs") or 1)


def _unfinished(
    log: FieldReader, position: FilePosition, stored: int, planned: int | None
) -> Iterator[Skipped]:
    """List the samples that a log lacks since it ended early."""
    status = log.get("status")
    if status == "success" or planned is None or stored >= planned:
        return
    ended = {"cancelled": "was cancelled", "error": "ended with an error"}.get(str(status), "is not finished")
    yield position.skipped_part("status", f"the log {ended}: {stored:,} of {planned:,} samples")


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
    answer, told_off = _answered(sample, len(question))
    if sample.items("choices"):  # which a solver put into the question
        sent = sample.nodes("messages")
        end = next((at for at, each in enumerate(sent) if role_of(each) == "assistant"), len(sent))
        question = [
            message for reader in sent[:end] for message in messages_of(reader.value, reader.at)
        ] or question
    yield from (
        position.skipped_part(field, "a user's message during the run has no place in an answer")
        for field in told_off
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
    """Return the sample with long texts restored, which a log stores separately."""
    kept = sample.node("attachments").value
    if not kept:
        return sample
    attachments = _Attachments(kept)
    parts = {name: attachments.put_back(sample.value.get(name)) for name in _WITH_ATTACHMENTS}
    first = _first_request(sample)
    events = [] if first is None else [attachments.put_back(first.value)]
    return FieldReader({**sample.value, **parts, "events": events}, sample.at)


class _Attachments:
    """Long texts of a sample by name.

    A sample may repeat one text any number of times, so the result is bounded like a line of a file.
    """

    def __init__(self, attachments: dict[str, Any]) -> None:
        self._texts = attachments
        self._left = MAX_LINE_BYTES

    def put_back(self, value: Any) -> Any:
        """Return a value with texts instead of their names."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            return self._text(value)
        if is_list(value):
            return [self.put_back(each) for each in value]
        return {name: self.put_back(each) for name, each in value.items()} if is_object(value) else value

    def _text(self, name: str) -> Any:
        text = self._texts.get(name.removeprefix(_ATTACHMENT), name)
        self._left -= len(text) if isinstance(text, str) else 0
        if self._left < 0:
            raise RecordError(
                f"its attachments come to more than {MAX_LINE_BYTES >> 20} MiB", field="attachments"
            )
        return text


def _tools(sample: FieldReader) -> list[dict[str, Any]]:
    """Return the tools offered to the model in its first request."""
    first = _first_request(sample)
    return [] if first is None else [tool.value for tool in first.nodes("tools")]


def _first_request(sample: FieldReader) -> FieldReader | None:
    return next((event for event in sample.nodes("events") if event.get("event") == "model"), None)


def _answered(sample: FieldReader, question_length: int) -> tuple[AgentAnswer | None, list[str]]:
    """Return the model's answer to the input, and the places of others' messages in it."""
    messages = sample.nodes("messages")
    # A system message that a solver put in front is not in the input.
    first = next(
        (at for at, each in enumerate(messages) if role_of(each) == "assistant" and at >= question_length),
        None,
    )
    if first is None:
        output = sample.node("output")
        text = output.text("completion")
        # A reply without a word is an answer; a sample that failed, or that no model was asked about, has none.
        replied = bool(output.nodes("choices")) and not sample.node("error").value
        return (AgentAnswer(text or "") if text or replied else None), []
    rest = messages[first:]
    answer = answer_of(rest)
    completion = sample.node("output").text("completion")
    if completion and not answer.calls:
        answer = answer._replace(text=completion)
    return answer, [reader.at for reader in rest if role_of(reader) == "user"]


def _score_parts(by: str, score: FieldReader) -> Iterator[Callable[[], ImportedScore]]:
    """Yield a function for each score of a scorer; one without values has an ungraded result."""
    value = score.value.get("value")
    explanation = score.text("explanation")
    metadata = score.node("metadata")
    why = score.text("reason") or metadata.text("unscored_reason")
    details: dict[str, Any] = {"answer": score.text("answer"), "metadata": metadata.value or None}
    if is_list(value):
        value = {str(number): part for number, part in enumerate(value)}
    parts = {by: value}
    if is_object(value):
        parts = {f"{by}/{name}": part for name, part in value.items()} or {by: None}
    for name, part in parts.items():
        if part is None or (isinstance(part, float) and math.isnan(part)):
            told = {**details, "unscored": why}
            outcome = _OUTCOMES.get(why or "", "not_applicable")
            yield partial(unscored, name, outcome, explanation or why or "not scored", evidence=told)
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
    """Read a score for `precomputed_scores`, whose sample is not in the file."""
    score = row.node
    value = score.value.get("value")
    if (is_list(value) or is_object(value)) and len(value) != 1:
        raise score.refuse("value", "one score")
    (part,) = _score_parts("precomputed_scores", score)
    imported_score = options.converter.convert(part())
    return imported_score.verdict(score.need("id"), options.system, max((score.whole("epoch") or 1) - 1, 0))
