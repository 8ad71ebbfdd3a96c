from __future__ import annotations

from pathlib import Path

from each_row import each_row

from fiducial.records.addresses import is_address, local_path, redact


@each_row("text", ["s3://b/k", "GS://b/k", "memory://x", "file:///a", "simplecache::s3://b/k"])
def test_an_address_begins_with_a_scheme(text: str):
    assert is_address(text)


@each_row("text", ["s3/b/k", "/a/b", "C:\\a", "s3:/b", "a b://c"])
def test_anything_else_is_a_path(text: str):
    assert not is_address(text)


def test_a_file_address_is_a_path():
    assert local_path("file:///a/b%20c") == Path("/a/b c")
    assert local_path("s3://a/b") is None


@each_row(
    ("address", "shown"),
    [
        ("s3://key:sec/ret@bucket/x", "s3://***@bucket/x"),
        ("s3://bucket/x?X-Amz-Signature=abc&y=1", "s3://bucket/x?***"),
        (
            "abfs://container@account.dfs.core.windows.net/x",
            "abfs://container@account.dfs.core.windows.net/x",
        ),
        ("--out=ftp://me:pw@host/x", "--out=ftp://***@host/x"),
        ("https://ghp_token@host/x", "https://***@host/x"),
        ("https://me:pa/ss@host/x", "https://***@host/x"),
        ("az://container@account/x and s3://token@b", "az://container@account/x and s3://***@b"),
        ("s3://bucket/part-?.jsonl", "s3://bucket/part-?.jsonl"),
    ],
)
def test_passwords_and_signatures_are_not_shown(address: str, shown: str):
    assert redact(address) == shown
