"""Entries of BFCL's data set, with ground truth, function documents and BFCL's final ids."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from ...errors import InputError, RecordError
from ...records.typed_values import convert
from .categories import Category, category_called, data_stems
from .configurations import CONFIGURATIONS, SensitivityId
from .data_source import DataSource, read_document, read_objects

_DOCUMENT_FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
    "WebSearchAPI": "web_search",
    "MemoryAPI_kv": "memory_kv",
    "MemoryAPI_vector": "memory_vector",
    "MemoryAPI_rec_sum": "memory_rec_sum",
}
"""Names of the files with the function documents of each class."""

_DOCUMENT_FOLDER = "multi_turn_func_doc"


class ClassDocuments:
    """Function documents of each class, read on first use.

    Data without documents can be scored, too; then cases offer no tools.
    """

    def __init__(self, source: DataSource) -> None:
        self._source = source
        self._by_class: dict[str, list[dict[str, Any]]] = {}
        self._has_documents = any(
            source.has(f"{_DOCUMENT_FOLDER}/{file}.json") for file in _DOCUMENT_FILES.values()
        )

    def split_by_turn(
        self, entry: dict[str, Any], place: str, line: int
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the function documents offered at the start of an entry, and those added later.

        Functions that the entry withholds are offered from a later turn on.
        """
        withheld = set(chain.from_iterable(entry.get("missed_function", {}).values()))
        offered: list[dict[str, Any]] = []
        offered_later: list[dict[str, Any]] = []
        for class_name in entry.get("involved_classes", []):
            if class_name not in _DOCUMENT_FILES:
                raise RecordError(
                    f"no function documents are known for class {class_name!r}",
                    path=place,
                    line=line,
                    field="involved_classes",
                )
            for document in self._read(class_name):
                (offered_later if document["name"] in withheld else offered).append(document)
        return offered, offered_later

    def _read(self, class_name: str) -> list[dict[str, Any]]:
        if class_name not in self._by_class:
            path = f"{_DOCUMENT_FOLDER}/{_DOCUMENT_FILES[class_name]}.json"
            self._by_class[class_name] = (
                [document for _, document in read_objects(self._source, path)] if self._has_documents else []
            )
        return self._by_class[class_name]


_QUESTION_FOLDERS = ("", "unused_datasets/question/", "unused_datasets/")
_ANSWER_FOLDERS = ("possible_answer/", "unused_datasets/possible_answer/")
"""Folders of ground truth: the usual one, and that of retired categories."""

_WITHOUT_GROUND_TRUTH = ("irrelevance", "live_irrelevance", "live_relevance")
"""Categories that ask only whether a function is called."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry with its ground truth and functions.

    Attributes:
        raw: The data set's object, with the id rewritten as by BFCL.
        answer: The ground-truth object, or None for (ir)relevance.
        documents: The functions offered at the start.
        withheld: The functions offered from a later turn.
    """

    id: str
    category: Category
    raw: dict[str, Any]
    answer: dict[str, Any] | None
    documents: list[dict[str, Any]]
    withheld: list[dict[str, Any]] = []

    @property
    def ground_truth(self) -> Any:
        """Expected result, or None for (ir)relevance."""
        return None if self.answer is None else self.answer.get("ground_truth")


def read_entries(source: DataSource, category: Category) -> Iterator[Entry]:
    """Read the entries of a category.

    Raises:
        InputError: A file is missing, or data and ground truth do not belong together.
        RecordError: A line is not an entry.
    """
    if category.family == "format_sensitivity":
        yield from _sensitivity_entries(source, category)
        return
    questions, answers = _find_paths(source, category)
    class_documents = ClassDocuments(source)
    for (line, raw), answer in _pair_with_answers(
        source, questions, answers, by_id=category.family != "agentic"
    ):
        place = source.place(questions)
        entry = _rewrite(raw, category)
        if not isinstance(entry.get("question"), list):
            raise RecordError("expected a list of turns", path=place, line=line, field="question")
        offered, offered_later = (
            (entry["function"], [])
            if "function" in entry
            else class_documents.split_by_turn(entry, place, line)
        )
        yield Entry(
            id=entry["id"],
            category=category,
            raw=entry,
            answer=answer,
            documents=offered,
            withheld=offered_later,
        )


def _find_paths(source: DataSource, category: Category) -> tuple[str, str | None]:
    """Return the paths of a category's questions and of its ground truth, None if it has none."""
    questions = [f"{folder}{stem}.json" for stem in data_stems(category) for folder in _QUESTION_FOLDERS]
    questions_path = next((path for path in questions if source.has(path)), None)
    if questions_path is None:
        # The error names the usual path: the first folder, or the second for a retired category.
        place = source.place(questions[int(category.group == "retired")])
        raise InputError(f"there is no data file for category {category.name}", path=place)
    if category.name in _WITHOUT_GROUND_TRUTH:
        return questions_path, None
    name = questions_path.rpartition("/")[2]
    answers = [f"{folder}{name}" for folder in _ANSWER_FOLDERS]
    is_unused = questions_path.startswith("unused_datasets/")
    preferred = answers[1] if is_unused else answers[0]
    return questions_path, next((path for path in (preferred, *answers) if source.has(path)), preferred)


def _pair_with_answers(
    source: DataSource, questions: str, answers: str | None, *, by_id: bool
) -> Iterator[tuple[tuple[int, dict[str, Any]], dict[str, Any] | None]]:
    """Pair questions with their ground truths.

    Agentic categories share data and ids, so their entries are paired by position.
    """
    answer_lines = iter(()) if answers is None else read_objects(source, answers)
    for line, raw in read_objects(source, questions):
        if not isinstance(raw.get("id"), str):
            raise RecordError("expected a text", path=source.place(questions), line=line, field="id")
        if answers is None:
            yield (line, raw), None
            continue
        answer_line, answer = next(answer_lines, (None, None))
        if answer is None or "ground_truth" not in answer or (by_id and answer.get("id") != raw["id"]):
            raise InputError(
                f"expected the ground truth of {raw['id']!r} here, as in line {line} of the questions",
                path=source.place(answers),
                line=answer_line,
            )
        yield (line, raw), answer


def _rewrite(raw: dict[str, Any], category: Category) -> dict[str, Any]:
    """Return an agentic entry with the id and memory class of its category.

    Several agentic categories share one data file, whose ids name the file.
    """
    if category.family != "agentic":
        return raw
    entry = {**raw, "id": raw["id"].replace(category.data, category.name, 1)}
    if category.data == "memory":
        entry["involved_classes"] = [f"MemoryAPI_{category.name.removeprefix('memory_')}"]
    return entry


def _sensitivity_entries(source: DataSource, category: Category) -> Iterator[Entry]:
    stems = data_stems(category)
    relative_path = next((f"{stem}.json" for stem in stems if source.has(f"{stem}.json")), f"{stems[0]}.json")
    try:
        ids_by_category = convert(read_document(source, relative_path), dict[str, set[str]])
    except msgspec.ValidationError as error:
        raise InputError(
            f"expected a list of ids by category: {error}", path=source.place(relative_path)
        ) from error
    number = 0
    for name, chosen_ids in ids_by_category.items():
        original_category = category_called(name)
        if original_category is None:
            raise InputError(f"{name!r} is not a category", path=source.place(relative_path))
        for entry in read_entries(source, original_category):
            if entry.id not in chosen_ids:
                continue
            for configuration in CONFIGURATIONS:
                entry_id = str(SensitivityId(number, configuration, entry.id))
                raw = {**entry.raw, "id": entry_id}
                yield msgspec.structs.replace(entry, id=entry_id, category=category, raw=raw)
                number += 1
