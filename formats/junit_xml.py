"""JUnit XML of pytest and other test runners: a case per test, and whether it passed.

XML that declares a document type or an entity is refused, so that nothing in it can grow or name another file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias
from xml.parsers import expat

import msgspec

from ..errors import InputError, RecordError, readable
from ..records import TagValue
from .calls import user_message
from .example import Example
from .example_records import records_of
from .file_rows import files_of
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, converted
from .imported_scores import ImportedScore, scored, unscored

NAME = "junit"
ABOUT = "results of tests as JUnit XML (`pytest --junitxml=FILE`), one verdict each; what `record_property` notes are tags"
LOST = "times, captured output, properties of suites; an expected failure (`xfail`) is skipped"

_AUTHOR = "junit"
"""Author of the verdicts, since no file names its test runner."""

_ROOT_ELEMENTS = frozenset({"testsuites", "testsuite"})
_FAULT_ELEMENTS = frozenset({"failure", "error"})
_RETRY_ELEMENTS = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})
"""Elements of failed earlier attempts at a test, as Maven's Surefire writes them."""

_NOT_RUN_STATES = frozenset({"disabled", "ignored", "notrun", "skipped", "suppressed"})
_FAILED_STATES = frozenset({"error", "fail", "failed", "failure"})
"""States of a test that some runners, such as GoogleTest and CTest, give as an attribute alone."""
_ELEMENTS_WITH_REASON = _FAULT_ELEMENTS | _RETRY_ELEMENTS | {"skipped"}
_CHUNK_BYTES, _START_BYTES = 1 << 16, 1 << 12
_MAX_DEPTH = 50
_MAX_REASON_CHARS = 2_000

Attributes: TypeAlias = dict[str, str]


class _Test(msgspec.Struct):
    """A test, as its element describes it.

    Attributes:
        name: Its name with its class or file.
        line: The line of its element.
        times: Number of elements of this name.
        tags: Its properties.
        fault: Reason of its failure, or None if it did not fail.
        skipped: Reason why it did not run, or None if it did.
        earlier: Reasons of failed earlier attempts.
    """

    name: str
    line: int
    times: int = 1
    tags: dict[str, TagValue] = {}
    fault: str | None = None
    skipped: str | None = None
    earlier: list[str] = []


def recognises(glimpse: object) -> bool:
    """Return False: no JSON value is of this format."""
    del glimpse
    return False


def is_junit(path: Path) -> bool:
    """Return whether a file begins as JUnit XML."""
    with readable(path), path.open("rb") as file:
        # Without NULs, ASCII in UTF-16 reads like UTF-8; a byte order mark is stripped below.
        start = file.read(_START_BYTES).replace(b"\0", b"")
    return start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<") and b"<testsuite" in start


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read a file, or a folder of them; see `Format`."""
    for file in files_of(path, (".xml",)):

        def position(test: _Test, file: Path = file) -> FilePosition:
            return FilePosition(file, test.line)

        def records(test: _Test, file: Path = file) -> Iterator[ImportedRecord]:
            yield from _records(test, FilePosition(file, test.line), options)

        yield from converted(_tests(file), records, position)


def _records(test: _Test, position: FilePosition, options: Options) -> Iterator[ImportedRecord]:
    if test.times > 1:
        yield position.skipped_part(
            "testcase",
            f"{test.name} stands {test.times} times: read as one test that fails if any of them does",
        )
    attempts = [
        *(scored(_AUTHOR, False, reason=reason, source="checker") for reason in test.earlier),
        _score(test),
    ]
    for trial, score in enumerate(attempts):
        example = Example(
            id=test.name,
            messages=[user_message(test.name)],
            criterion="The test passes.",
            tags=test.tags,
            trial=trial,
            is_trial=True,
            scores=[score],
        )
        yield from records_of(example, position, options)


def _score(test: _Test) -> ImportedScore:
    if test.fault is not None:
        return scored(_AUTHOR, False, reason=test.fault, source="checker")
    if test.skipped is not None:
        return unscored(_AUTHOR, "not_applicable", test.skipped, source="checker")
    return scored(_AUTHOR, True, source="checker")


def _tests(path: Path) -> Iterator[_Test]:
    """Return the tests of a file, each once, in their order.

    Raises:
        InputError: The file is no JUnit XML, or declares a document type.
    """
    reader = _Reader()
    try:
        with readable(path), path.open("rb") as file:
            reader.parse(iter(partial(file.read, _CHUNK_BYTES), b""))
    except expat.ExpatError as error:
        raise InputError(f"no XML: {expat.ErrorString(error.code)}", path=path, line=error.lineno) from error
    except RecordError as error:
        raise InputError(str(error), path=path, line=reader.line) from error
    return iter(reader.tests.values())


class _Reader:
    """Tests of a file, read element by element.

    Attributes:
        tests: Tests by name.
    """

    def __init__(self) -> None:
        self.tests: dict[str, _Test] = {}
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._reject_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.buffer_text = True
        self._open_elements: list[str] = []
        self._test: _Test | None = None
        self._reason_parts: list[str] = []
        self._states: list[str] = []
        self._reason_length = 0

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def parse(self, chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            self._parser.Parse(chunk, False)
        self._parser.Parse(b"", True)

    def _reject_doctype(self, *_: object) -> None:
        raise RecordError(
            "declares a document type, which no test runner writes and which may name other files"
        )

    def _start(self, name: str, attributes: Attributes) -> None:
        name = name.rpartition(":")[2]
        if not self._open_elements and name not in _ROOT_ELEMENTS:
            raise RecordError(f"expected testsuites or testsuite, got {name!r}")
        self._open_elements.append(name)
        if len(self._open_elements) > _MAX_DEPTH:
            raise RecordError(f"elements are nested more than {_MAX_DEPTH} deep")
        if name == "testcase":
            self._test = _Test(name=_test_name(attributes), line=self.line)
            self._states = [
                attributes.get(name_of_state, "").lower() for name_of_state in ("status", "result")
            ]
        elif self._test is not None:
            self._inside(self._test, name, attributes)

    def _inside(self, test: _Test, name: str, attributes: Attributes) -> None:
        if name == "property" and attributes.get("name"):
            test.tags[attributes["name"]] = attributes.get("value", "")
        elif name in _ELEMENTS_WITH_REASON:
            self._reason_parts, self._reason_length = [attributes.get("message", "")[:_MAX_REASON_CHARS]], 0

    def _text(self, text: str) -> None:
        if (
            self._test is not None
            and self._open_elements[-1] in _ELEMENTS_WITH_REASON
            and self._reason_length < _MAX_REASON_CHARS
        ):
            self._reason_parts.append(text[: _MAX_REASON_CHARS - self._reason_length])
            self._reason_length += len(text)

    def _end(self, name: str) -> None:
        name = self._open_elements.pop()
        test = self._test
        if test is None:
            return
        reason = "\n".join(filter(None, (part.strip() for part in self._reason_parts)))[:_MAX_REASON_CHARS]
        if name in _FAULT_ELEMENTS:
            test.fault = test.fault or reason or name
        elif name in _RETRY_ELEMENTS:
            test.earlier.append(reason or name)
        elif name == "skipped":
            test.skipped = reason or name
        elif name == "testcase":
            self._count_states(test)
            self._merge(test)
            self._test = None

    def _count_states(self, test: _Test) -> None:
        """Add a failure or a skip that only attributes of the test tell."""
        failed, not_run = (
            [state for state in self._states if state in state_words]
            for state_words in (_FAILED_STATES, _NOT_RUN_STATES)
        )
        test.fault = test.fault or next(iter(failed), None)
        test.skipped = test.skipped or next(iter(not_run), None)

    def _merge(self, test: _Test) -> None:
        """Add a test; among several of one name, a failure beats a pass, and a pass a skip."""
        first_test = self.tests.setdefault(test.name, test)
        if first_test is test:
            return
        first_test.times += 1
        first_test.fault = first_test.fault or test.fault
        first_test.earlier += test.earlier
        if test.fault is None and test.skipped is None:
            first_test.skipped = None


def _test_name(attributes: Attributes) -> str:
    """Return the name of a test with its class or file.

    Raises:
        RecordError: The element has neither a name nor a class nor a file.
    """
    name, class_or_file = (
        attributes.get("name", ""),
        attributes.get("classname") or attributes.get("file", ""),
    )
    if not name and not class_or_file:
        raise RecordError("a testcase without a name")
    return "::".join(filter(None, (class_or_file, name)))
