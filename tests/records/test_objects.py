"""Addresses of object stores: reading, refusals, and secrets that no message shows."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import errno
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import ConfigurationError, InputError, MissingExtraError, UsageError
from fiducial.records.fetching import fetch_input
from fiducial.records.objects import (
    ObjectFolder,
    ObjectVersion,
    fetched_alone,
)


def fetched(address: str, cache: Path) -> Path:
    objects = ObjectFolder(address)
    return fetch_input(objects, objects.find(), cache)


@each_row(
    ("address", "why"),
    [
        ("https://host/x", "web addresses are not read"),
        ("http://me:pw@host/x", r"^http://\*\*\*@host/x: web addresses"),
        ("simplecache::memory://x", "addresses within addresses"),
        ("nosuchscheme://x", "fsspec does not support nosuchscheme://"),
        ("memory://a*/b", "a pattern is for names in one folder"),
    ],
)
def test_what_is_not_read_is_refused_in_a_line(address: str, why: str):
    with pytest.raises(UsageError, match=why) as refused:
        ObjectFolder(address)
    assert "pw" not in str(refused.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(
        ConfigurationError, match=r"^s3://b/k: the driver of s3:// is not installed: pip install s3fs$"
    ):
        ObjectFolder("s3://b/k")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"s3://b/k .*fiducial-eval\[objects\]"):
        ObjectFolder("s3://b/k")


def test_an_object_is_copied_once_for_each_content(
    objects_in_memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    objects_in_memory.pipe("/b/x.jsonl", b"one")
    first = fetched("memory://b/x.jsonl", tmp_path)
    assert first.name == "x.jsonl"
    assert first.read_bytes() == b"one"
    assert first in fetched_alone
    with monkeypatch.context() as patched:
        patched.setattr(ObjectFolder, "fetch", lambda *_: pytest.fail("copied again"))
        assert fetched("memory://b/x.jsonl", tmp_path) == first
    objects_in_memory.pipe("/b/x.jsonl", b"two")
    assert fetched("memory://b/x.jsonl", tmp_path).read_bytes() == b"two"
    assert first.read_bytes() == b"one", "who reads it still finds what it was"


def test_copies_are_nobody_elses_to_read(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe("/b/x.jsonl", b"one")
    fetched("memory://b/x.jsonl", tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_a_folder_comes_with_what_is_below_it(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe({"/b/d/1.jsonl": b"1", "/b/d/work/a/f.txt": b"2", "/b/e.jsonl": b"3"})
    folder = fetched("memory://b/d/", tmp_path)
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == {
        "1.jsonl",
        "work/a/f.txt",
    }
    assert folder / "1.jsonl" not in fetched_alone


def test_a_pattern_is_a_folder_of_what_fits(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe({"/b/p-1.jsonl": b"1", "/b/p-2.jsonl": b"2", "/b/q.jsonl": b"3"})
    assert sorted(path.name for path in fetched("memory://b/p-*.jsonl", tmp_path).iterdir()) == [
        "p-1.jsonl",
        "p-2.jsonl",
    ]


def test_errors_name_the_address_and_not_the_copy(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe("/b/x.jsonl", b"one")
    copy = fetched("memory://b/x.jsonl", tmp_path)
    assert str(InputError("is bad", path=copy, line=3)) == "memory://b/x.jsonl:3: is bad"


def test_nothing_there_is_a_line(objects_in_memory: Any, tmp_path: Path):
    with pytest.raises(InputError, match=r"^memory://b/none: there is no such object or folder$"):
        fetched("memory://b/none", tmp_path)


def test_what_changes_while_it_is_read_is_refused(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe("/b/x.jsonl", b"one")
    objects = ObjectFolder("memory://b/x.jsonl")
    before = objects.find()
    objects_in_memory.pipe("/b/x.jsonl", b"another")
    with pytest.raises(InputError, match="changes while it is read"):
        fetch_input(objects, before, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_the_disk_has_no_room_for_is_not_begun(objects_in_memory: Any, tmp_path: Path):
    with pytest.raises(InputError, match="MB free"):
        fetch_input(ObjectFolder("memory://b/x"), {"": ObjectVersion(1 << 60, "")}, tmp_path)


@pytest.mark.parametrize("key", ["/b/d/../../escaped", "/b/d/a//b", "/b/d/./x"])
def test_a_name_that_leads_out_of_the_folder_is_refused(
    objects_in_memory: Any, monkeypatch: pytest.MonkeyPatch, key: str
):
    objects = ObjectFolder("memory://b/d")
    monkeypatch.setattr(type(objects_in_memory), "find", lambda *_, **__: {key: {"type": "file", "size": 1}})
    with pytest.raises(InputError, match="leads out of the folder"):
        objects.find()


def test_what_a_driver_says_is_one_line_without_secrets(
    objects_in_memory: Any, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no way to memory://k:secret@b/x\nand more")

    objects = ObjectFolder("memory://k:secret@b/x")
    monkeypatch.setattr(type(objects_in_memory), "find", fails)
    with pytest.raises(InputError) as failed:
        objects.find()
    assert str(failed.value) == "memory://***@b/x: the store said: no way to memory://***@b/x"
    assert failed.value.__cause__ is None, "which would show the secret"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NoCredentialsError", "no credentials"),
        ("AccessDenied", "not permitted"),
        ("ReadTimeoutError", "did not answer in time"),
        ("EndpointConnectionError", "cannot be reached"),
    ],
)
def test_errors_of_drivers_are_known_by_their_names(
    objects_in_memory: Any, monkeypatch: pytest.MonkeyPatch, name: str, said: str
):
    def fails(*_: object, **__: object) -> None:
        raise type(name, (Exception,), {})("whatever")

    monkeypatch.setattr(type(objects_in_memory), "find", fails)
    with pytest.raises(InputError, match=said):
        ObjectFolder("memory://b/x").find()


def test_an_object_is_made_by_one_alone(objects_in_memory: Any):
    objects = ObjectFolder("memory://b/d")
    assert objects.write("lock", b"mine", only_if_new=True)
    assert not objects.write("lock", b"theirs", only_if_new=True)
    assert objects.read("lock") == b"mine"
    objects.remove("lock")
    objects.remove("lock")
    assert objects.read("lock") is None


def test_an_old_copy_that_another_process_just_removed_is_no_error(objects_in_memory: Any, tmp_path: Path):
    objects_in_memory.pipe("/b/x.jsonl", b"one")
    copy = fetched("memory://b/x.jsonl", tmp_path)
    (copy.parent.parent / "gone").symlink_to(tmp_path / "nowhere")
    assert fetched("memory://b/x.jsonl", tmp_path) == copy


def test_a_copy_that_another_process_made_meanwhile_is_used(
    objects_in_memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    objects_in_memory.pipe("/b/x.jsonl", b"one")

    def rename(part: Path, folder: Path) -> None:
        shutil.copytree(part, folder)
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr(Path, "rename", rename)
    assert fetched("memory://b/x.jsonl", tmp_path).read_bytes() == b"one"
