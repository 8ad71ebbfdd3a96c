from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.deterministic.artifacts.dependencies import ChallengeNames, unknown_dependencies
from fiducial.records import Case


def challenge(path: str, **reference: Any) -> Case:
    return Case(id=path, kind="artifact", reference=reference)


NAMES = ChallengeNames([
    challenge("interface/write_file", name="TestWriteFile"),
    challenge("retrieval/1", name="TestRevenueRetrieval_1.0"),
    challenge("interface/read_file"),
])  # fmt: skip


@each_row(
    ("dependency", "name"),
    [
        ("TestWriteFile", "TestWriteFile"),
        ("tests/interface/write_file_test.py::TestWriteFile::test_method", "TestWriteFile"),
        ("tests/write_file/write_file_test.py::TestWriteFile::test_method[local]", "TestWriteFile"),
        ("tests/interface/write_file_test.py::test_method", "TestWriteFile"),
        ("tests/write_file/check.py::test_method", "TestWriteFile"),
        ("tests/interface/write_file_test_.py::test_method", "TestWriteFile"),
        ("tests/interface/_testwrite_file.py::test_method", "TestWriteFile"),
        ("TestRevenueRetrieval1.0", "TestRevenueRetrieval_1.0"),
        ("TestReadFile", "read_file"),
        ("TestSearch", None),
        ("tests/search_test.py::TestSearch::test_method", None),
        ("", None),
    ],
)
def test_a_dependency_is_found_by_class_node_id_and_folder(dependency: str, name: str | None):
    assert NAMES.resolve(dependency) == name


def test_dependencies_without_a_challenge_are_named_with_the_challenge_that_has_them():
    cases = [challenge("a", name="TestA", dependencies=["TestB", "TestC"]), challenge("b", name="TestB")]
    assert unknown_dependencies(cases) == [("a", "TestC")]
