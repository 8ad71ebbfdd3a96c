"""File and directory tree of the file system environment: build it, walk it, limit its size.

As in BFCL, a copy of a directory shares its entries with the original. So the tree may be a graph, and a directory copied into itself
contains itself. `MAX_NODES` and `MAX_DEPTH` limit the tree as seen from the root: a shared directory counts each time that it is
reached, and a directory inside itself is not entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .world import load_table

# BFCL has no limits; with these, no sequence of calls fills the memory.
MAX_NODES = 10_000
MAX_DEPTH = 100
MAX_NAME_LENGTH = 255


@dataclass(slots=True, eq=False)
class File:
    """A file: its name and its text."""

    name: str
    content: str = ""


@dataclass(slots=True, eq=False)
class Directory:
    """A directory: its name, the parent that it was made in, and its entries, oldest first."""

    name: str
    parent: Directory | None = None
    contents: dict[str, Node] = field(default_factory=dict["str", "Node"])

    def path(self) -> str:
        """Return the names from the root down, starting with the root's."""
        names = [self.name]
        ancestor = self.parent
        while ancestor is not None:
            names.append(ancestor.name)
            ancestor = ancestor.parent
        return "/" + "/".join(reversed(names))


Node: TypeAlias = File | Directory


def build_tree(name: str, entry: Mapping[str, Any], *, long_context: bool) -> Directory:
    """Build a directory and its contents from a scenario's entry.

    Args:
        name: The directory's name.
        entry: ``{"type": "directory", "contents": {name: entry}}``, where an entry may also be that of a file.
        long_context: Whether a long text is appended to files, and directories without a subdirectory get empty files.
    """
    return _build_directory(name, entry, None, load_table("file_system_long") if long_context else None)


def _build_directory(
    name: str, entry: Mapping[str, Any], parent: Directory | None, long_context_data: Mapping[str, Any] | None
) -> Directory:
    directory = Directory(name, parent)
    for inner_name, inner_entry in entry["contents"].items():
        if inner_entry["type"] == "directory":
            directory.contents[inner_name] = _build_directory(
                inner_name, inner_entry, directory, long_context_data
            )
        elif long_context_data is None or inner_name in long_context_data["untouched"]:
            directory.contents[inner_name] = File(inner_name, inner_entry["content"])
        else:
            directory.contents[inner_name] = File(
                inner_name, inner_entry["content"] + long_context_data["text"]
            )
    if long_context_data is not None and not any(
        isinstance(node, Directory) for node in directory.contents.values()
    ):
        _add_empty_files(directory, long_context_data["names"])
    return directory


def _add_empty_files(directory: Directory, names: list[str]) -> None:
    for name in names:
        if name in directory.contents:
            raise ValueError(f"File '{name}' already exists in directory '{directory.name}'.")
        directory.contents[name] = File(name)


def walk(directory: Directory, prefix: str = "") -> Iterator[tuple[str, Node]]:
    """Yield each entry below a directory with its path, depth first.

    Raises:
        RecursionError: A directory contains itself.
        OSError: There are too many entries, which is possible only in a directory that was removed from the tree.
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
    """Return a node as nested dicts, for comparing trees; a directory inside itself is a marker."""
    if isinstance(node, File):
        return {"type": "file", "name": node.name, "content": node.content}
    if node in ancestors:
        return {"__cycle__": True}
    ancestors = (*ancestors, node)
    contents = {name: snapshot(inner, ancestors) for name, inner in node.contents.items()}
    return {"type": "directory", "name": node.name, "contents": contents}


def place_node(root: Directory, directory: Directory, name: str, node: Node) -> None:
    """Put a node into a directory under an unused name, within the limits of the tree.

    Raises:
        OSError: The name is too long, or the tree would be too large or too deep. Then nothing is changed.
    """
    if len(name) > MAX_NAME_LENGTH:
        raise OSError(f"File name too long: more than {MAX_NAME_LENGTH} characters")
    # Placed first and taken back if it does not fit: only the tree as a whole shows that.
    directory.contents[name] = node
    if not _is_within(root, [MAX_NODES], MAX_DEPTH, ()):
        del directory.contents[name]
        raise OSError(f"No space left: more than {MAX_NODES} entries or {MAX_DEPTH} levels")


def _is_within(
    directory: Directory, remaining: list[int], depth: int, ancestors: tuple[Directory, ...]
) -> bool:
    """Return whether the entries below a directory stay within a number and a depth.

    ``remaining`` has one item, the number of entries left, which all levels of the recursion reduce.
    """
    remaining[0] -= len(directory.contents)
    if remaining[0] < 0 or depth < 0:
        return False
    ancestors = (*ancestors, directory)
    return all(
        _is_within(node, remaining, depth - 1, ancestors)
        for node in directory.contents.values()
        if isinstance(node, Directory) and node not in ancestors
    )
