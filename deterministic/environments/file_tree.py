"""File and directory tree of GorillaFileSystem: build it, walk it, limit its size.

A copy of a directory shares its entries with the original, so the tree may be a graph, and a directory copied into itself
contains itself. ``MAX_NODES`` and ``MAX_DEPTH`` limit the tree as seen from the root: a shared directory counts each time, and a
directory inside itself is not descended into.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .world import table

MAX_NODES = 10_000
MAX_DEPTH = 100
MAX_NAME = 255


@dataclass(slots=True, eq=False)
class File:
    """A file: its name and its text."""

    name: str
    content: str = ""


@dataclass(slots=True, eq=False)
class Directory:
    """A directory: its name, its original parent, and its entries, oldest first."""

    name: str
    parent: Directory | None = None
    contents: dict[str, Node] = field(default_factory=dict["str", "Node"])

    def path(self) -> str:
        """Return the names from the root down, starting with the root's."""
        names = [self.name]
        above = self.parent
        while above is not None:
            names.append(above.name)
            above = above.parent
        return "/" + "/".join(reversed(names))


Node: TypeAlias = File | Directory


def build(name: str, entry: Mapping[str, Any], *, long_context: bool) -> Directory:
    """Build a directory and its contents from a scenario entry.

    An entry is ``{"type": "directory", "contents": {name: entry}}``.

    With a long context, a long text is appended to files, and directories without a subdirectory get empty files.
    """
    return _build(name, entry, None, table("file_system_long") if long_context else None)


def _build(
    name: str, entry: Mapping[str, Any], parent: Directory | None, bulk: Mapping[str, Any] | None
) -> Directory:
    directory = Directory(name, parent)
    for inner_name, inner in entry["contents"].items():
        if inner["type"] == "directory":
            directory.contents[inner_name] = _build(inner_name, inner, directory, bulk)
        elif bulk is None or inner_name in bulk["untouched"]:
            directory.contents[inner_name] = File(inner_name, inner["content"])
        else:
            directory.contents[inner_name] = File(inner_name, inner["content"] + bulk["text"])
    if bulk is not None and not any(isinstance(inner, Directory) for inner in directory.contents.values()):
        _populate(directory, bulk["names"])
    return directory


def _populate(directory: Directory, names: list[str]) -> None:
    for name in names:
        if name in directory.contents:
            raise ValueError(f"File '{name}' already exists in directory '{directory.name}'.")
        directory.contents[name] = File(name)


def walk(directory: Directory, prefix: str = "") -> Iterator[tuple[str, Node]]:
    """Yield every entry below a directory with its path, depth first.

    Raises:
        RecursionError: A directory contains itself.
        OSError: There are more entries than a tree may have, in a directory that is no longer part of one.
    """
    for count, entry in enumerate(_walk(directory, prefix, ())):
        if count >= MAX_NODES:
            raise OSError(f"Too many entries: more than {MAX_NODES}")
        yield entry


def _walk(directory: Directory, prefix: str, ancestors: tuple[Directory, ...]) -> Iterator[tuple[str, Node]]:
    if directory in ancestors:
        raise RecursionError("maximum recursion depth exceeded")
    ancestors = (*ancestors, directory)
    for name, node in directory.contents.items():
        path = f"{prefix}/{name}"
        yield path, node
        if isinstance(node, Directory):
            yield from _walk(node, path, ancestors)


def snapshot(node: Node, ancestors: tuple[Directory, ...] = ()) -> dict[str, Any]:
    """Return a node as nested dicts, which are equal if names and texts are.

    A directory inside itself is ``{"__cycle__": True}``.
    """
    if isinstance(node, File):
        return {"type": "file", "name": node.name, "content": node.content}
    if node in ancestors:
        return {"__cycle__": True}
    ancestors = (*ancestors, node)
    contents = {name: snapshot(inner, ancestors) for name, inner in node.contents.items()}
    return {"type": "directory", "name": node.name, "contents": contents}


def place(root: Directory, directory: Directory, name: str, node: Node) -> None:
    """Put a node into a directory under an unused name, within the limits of the tree.

    Raises:
        OSError: The name is too long, or the tree would be too large or too deep; nothing is changed then.
    """
    if len(name) > MAX_NAME:
        raise OSError(f"File name too long: more than {MAX_NAME} characters")
    directory.contents[name] = node
    if not _is_within(root, [MAX_NODES], MAX_DEPTH, ()):
        del directory.contents[name]
        raise OSError(f"No space left: more than {MAX_NODES} entries or {MAX_DEPTH} levels")


def _is_within(
    directory: Directory, remaining: list[int], depth: int, ancestors: tuple[Directory, ...]
) -> bool:
    """Return whether the entries below a directory fit the remaining count and depth."""
    remaining[0] -= len(directory.contents)
    if remaining[0] < 0 or depth < 0:
        return False
    ancestors = (*ancestors, directory)
    return all(
        _is_within(node, remaining, depth - 1, ancestors)
        for node in directory.contents.values()
        if isinstance(node, Directory) and node not in ancestors
    )
