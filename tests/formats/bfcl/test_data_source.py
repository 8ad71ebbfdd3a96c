"""Where BFCL's files are read from: folder, checkout, wheel - and what is refused."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import InputError
from fiducial.formats.bfcl import CATEGORIES, data_source, open_source, read_entries


def make_wheel(path: Path, files: dict[str, Any]):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def wheel_of(folder: Path, path: Path):
    files = {
        f"bfcl_eval/data/{file.relative_to(folder)}": file.read_bytes()
        for file in sorted(folder.rglob("*.json"))
    }
    return make_wheel(path, files)


def ids(path: Path, name: str = "simple_python"):
    return [entry.id for entry in read_entries(open_source(path), CATEGORIES[name])]


EXPECTED = ["simple_python_0", "simple_python_1", "simple_python_2"]


def test_a_folder_with_the_files_is_read(bfcl_data: Path):
    assert ids(bfcl_data) == EXPECTED


@pytest.mark.parametrize("place", ["bfcl_eval/data", "berkeley-function-call-leaderboard/bfcl_eval/data"])
def test_a_checkout_is_read_where_it_keeps_its_data(bfcl_data: Path, tmp_path: Path, place: str):
    shutil.copytree(bfcl_data, tmp_path / place)
    assert ids(tmp_path) == EXPECTED


@pytest.mark.parametrize("name", ["simple_python", "multi_turn_miss_func", "memory_kv", "format_sensitivity"])
def test_a_wheel_gives_what_the_folder_gives(bfcl_data: Path, tmp_path: Path, name: str):
    wheel = wheel_of(bfcl_data, tmp_path / "bfcl_eval-1-py3-none-any.whl")
    assert list(read_entries(open_source(wheel), CATEGORIES[name])) == list(
        read_entries(open_source(bfcl_data), CATEGORIES[name])
    )


def test_nothing_is_unpacked_to_disk(bfcl_data: Path, tmp_path: Path):
    wheel = wheel_of(bfcl_data, tmp_path / "data.whl")
    ids(wheel)
    assert list(tmp_path.iterdir()) == [wheel]


def test_a_folder_without_the_files_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="holds no BFCL_v4"):
        open_source(tmp_path)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="expected a folder"):
        open_source(tmp_path / "nowhere")


@pytest.mark.attack("inputs of others")
def test_a_truncated_wheel_is_refused(bfcl_data: Path, tmp_path: Path):
    wheel = wheel_of(bfcl_data, tmp_path / "data.whl")
    wheel.write_bytes(wheel.read_bytes()[:-200])
    with pytest.raises(InputError, match="not a readable wheel"):
        open_source(wheel)


@pytest.mark.attack("inputs of others")
def test_a_wheel_with_a_damaged_member_names_the_member(bfcl_data: Path, tmp_path: Path):
    wheel = wheel_of(bfcl_data, tmp_path / "data.whl")
    with zipfile.ZipFile(wheel) as archive:
        start = archive.getinfo("bfcl_eval/data/BFCL_v4_simple_python.json").header_offset + 90
    raw = bytearray(wheel.read_bytes())
    raw[start : start + 40] = b"\x00" * 40
    wheel.write_bytes(raw)
    with pytest.raises(InputError, match=r"BFCL_v4_simple_python\.json"):
        ids(wheel)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.attack("inputs of others")
def test_a_wheel_with_any_byte_changed_is_read_or_refused(tmp_path: Path, method: int):
    wheel = tmp_path / "data.whl"
    member = "bfcl_eval/data/BFCL_v4_simple_python.json"
    with zipfile.ZipFile(wheel, "w", method) as archive:
        archive.writestr(member, '{"id": "simple_python_0", "question": [[]]}\n' * 40)
    raw = wheel.read_bytes()
    refused = 0
    for position in range(len(raw)):
        wheel.write_bytes(raw[:position] + bytes([raw[position] ^ 0xFF]) + raw[position + 1 :])
        try:
            list(data_source.read_objects(open_source(wheel), "BFCL_v4_simple_python.json"))
        except InputError:
            refused += 1
    assert refused > len(raw) / 3


def test_a_wheel_of_something_else_is_refused(tmp_path: Path):
    wheel = make_wheel(tmp_path / "other.whl", {"other/data.json": "{}"})
    with pytest.raises(InputError, match="holds no bfcl_eval/data"):
        open_source(wheel)


@pytest.mark.attack("inputs of others")
def test_a_member_that_unpacks_to_too_much_is_refused(
    bfcl_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    wheel = wheel_of(bfcl_data, tmp_path / "data.whl")
    monkeypatch.setattr(data_source, "MAX_MEMBER_BYTES", 100)
    with pytest.raises(InputError, match="unpacks to more than"):
        ids(wheel)


@pytest.mark.attack("inputs of others")
def test_a_member_that_lies_about_its_size_is_refused_while_it_is_read(
    bfcl_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source = data_source.WheelSource(wheel_of(bfcl_data, tmp_path / "data.whl"))
    monkeypatch.setattr(data_source, "MAX_MEMBER_BYTES", 100)
    sizes: dict[str, int] = source._sizes  # pyright: ignore[reportPrivateUsage] - a lie in the archive's index
    sizes["BFCL_v4_simple_python.json"] = 1
    with pytest.raises(InputError, match="too long"):
        list(read_entries(source, CATEGORIES["simple_python"]))


def test_paths_that_climb_out_are_never_asked_for(tmp_path: Path):
    files = {"bfcl_eval/data/BFCL_v4_simple_python.json": "", "bfcl_eval/data/../../evil.json": "{}"}
    source = open_source(make_wheel(tmp_path / "evil.whl", files))
    assert list(source.lines("BFCL_v4_simple_python.json")) == []
    assert [path.name for path in tmp_path.iterdir()] == ["evil.whl"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[1]", "expected a JSON object, got list"),
        (b'{"id": ', "not JSON"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, message: str):
    (tmp_path / "BFCL_v4_irrelevance.json").write_bytes(b"\n" + line)
    with pytest.raises(InputError, match=message) as caught:
        ids(tmp_path, "irrelevance")
    assert caught.value.line == 2
