"""File system environment: a small shell over a tree of text files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .file_tree import Directory, File, Node, build_tree, place_node, snapshot, walk
from .world import World, error

_INVALID_CHARACTERS = '|/\\?%*:"><'
_SIZE_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
_MAX_RESULT_CHARACTERS = 1_000_000
"""Limit on the paths that `find` returns."""


class GorillaFileSystem(World):
    """Makes, moves, reads and searches files and directories, from a current directory."""

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario's tree (first entry of ``root``), or an empty directory ``/``."""
        self.long_context = long_context
        trees = config.get("root")
        if trees:
            name = next(iter(trees))
            self._root = build_tree(name, trees[name], long_context=long_context)
        else:
            self._root = Directory("/")
        self._current = self._root
        self._snapshot: dict[str, Any] | None = None

    def state(self) -> dict[str, Any]:
        """Return the tree as nested dicts, rebuilt only after a change.

        The current directory is not compared.
        """
        if self._snapshot is None:
            self._snapshot = snapshot(self._root)
        return {"root": self._snapshot, "long_context": self.long_context}

    # The current directory and its contents.

    def pwd(self) -> dict[str, Any]:
        """Return the path of the current directory, starting with the root's name."""
        return {"current_working_directory": self._current.path()}

    def ls(self, a: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the API's signature
        """List the names in the current directory, oldest first.

        Names with a leading dot are listed only on request.
        """
        return {
            "current_directory_content": [
                name for name in self._current.contents if a or not name.startswith(".")
            ]
        }

    def cd(self, folder: str) -> dict[str, Any]:
        """Change the directory by one level, or to the root."""
        folder = folder.rstrip("/") or "/"
        if folder == "..":
            return self._up()
        if folder == "/":
            target: Node | None = self._root
        elif "/" in folder:
            return error(f"cd: {folder}: Unsupported path. Only one folder level at a time is supported.")
        else:
            target = self._current if folder == "." else self._current.contents.get(folder)
        if not isinstance(target, Directory):
            return error(f"cd: '{folder}': No such file or directory")
        self._current = target
        return {"current_working_directory": target.name}

    def _up(self) -> dict[str, Any]:
        if self._current.parent is None:
            return error("Current directory is already the root. Cannot go back.")
        self._current = self._current.parent
        return {}

    def find(self, path: str | None = ".", name: str | None = None) -> dict[str, Any]:
        """Return the paths of all entries below a directory whose names contain a text."""
        start = self._directory_at(path)
        if start is None:
            return error(f"find: '{path}': No such file or directory")
        matches: list[str] = []
        length = 0
        for found_path, node in walk(start, "." if path is None else path.rstrip("/")):
            if name is None or name in node.name:
                matches.append(found_path)
                length += len(found_path)
                if length > _MAX_RESULT_CHARACTERS:
                    raise OSError(f"find: the result has more than {_MAX_RESULT_CHARACTERS} characters")
        return {"matches": matches}

    def _directory_at(self, path: str | None) -> Directory | None:
        """Look up the directory at a path, name by name; ``..`` is not supported."""
        if path is None or path == ".":
            return self._current
        if path == "/":
            return self._root
        directory = self._root if path.startswith("/") else self._current
        for part in path.strip("/").split("/"):
            node = directory if part == "." else directory.contents.get(part)
            if not isinstance(node, Directory):
                return None
            directory = node
        return directory

    def du(self, human_readable: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the API's signature
        """Return the size of all texts below the current directory, as UTF-8."""
        size: float = sum(
            len(node.content.encode()) for _, node in walk(self._current) if isinstance(node, File)
        )
        if not human_readable:
            return {"disk_usage": f"{size} bytes"}
        unit = 0
        while size >= 1024 and unit < len(_SIZE_UNITS) - 1:  # noqa: PLR2004 - bytes in a kilobyte
            size /= 1024
            unit += 1
        return {"disk_usage": f"{size:.2f} {_SIZE_UNITS[unit]}"}

    # Creating and removing.

    def mkdir(self, dir_name: str) -> dict[str, Any] | None:
        """Make a directory."""
        problem = self._new_name_problem(dir_name)
        if problem:
            return error(f"mkdir: cannot create directory '{dir_name}': {problem}")
        self._place(self._current, dir_name, Directory(dir_name, self._current))
        return None

    def touch(self, file_name: str) -> dict[str, Any] | None:
        """Make an empty file."""
        problem = self._new_name_problem(file_name)
        if problem:
            return error(f"touch: cannot touch '{file_name}': {problem}")
        self._place(self._current, file_name, File(file_name))
        return None

    def echo(self, content: str, file_name: str | None = None) -> dict[str, Any] | None:
        """Show a text, or write it over a file that exists."""
        if not file_name:
            return {"terminal_output": content}
        if _has_invalid_character(file_name):
            return error(f"echo: cannot write to '{file_name}': Invalid character")
        if file_name not in self._current.contents:
            return error(f"echo: cannot write to '{file_name}': No such file")
        node = self._current.contents[file_name]
        if isinstance(node, Directory):
            raise AttributeError("'Directory' object has no attribute '_write'")  # noqa: TRY004 - the API's fault
        node.content = content
        self._snapshot = None
        return None

    def rm(self, file_name: str) -> dict[str, Any]:
        """Remove a file, or a directory with its contents."""
        if file_name not in self._current.contents:
            return error(f"rm: cannot remove '{file_name}': No such file or directory")
        return self._remove(file_name)

    def rmdir(self, dir_name: str) -> dict[str, Any]:
        """Remove an empty directory."""
        if dir_name not in self._current.contents:
            return error(f"rmdir: cannot remove '{dir_name}': No such file or directory")
        node = self._current.contents[dir_name]
        if not isinstance(node, Directory):
            return error(f"rmdir: cannot remove '{dir_name}': Not a directory")
        if node.contents:
            return error(f"rmdir: cannot remove '{dir_name}': Directory not empty")
        return self._remove(dir_name)

    def _remove(self, name: str) -> dict[str, Any]:
        del self._current.contents[name]
        self._snapshot = None
        return {"result": f"'{name}' removed"}

    def _new_name_problem(self, name: str) -> str | None:
        if _has_invalid_character(name):
            return "Invalid character"
        return "File exists" if name in self._current.contents else None

    def _place(self, directory: Directory, name: str, node: Node) -> None:
        place_node(self._root, directory, name, node)
        self._snapshot = None

    # Moving and copying.

    def mv(self, source: str, destination: str) -> dict[str, Any]:
        """Move an entry into a directory of the current one, or rename it."""
        return self._transfer("mv", "move", "moved", source, destination)

    def cp(self, source: str, destination: str) -> dict[str, Any]:
        """Copy an entry into a directory of the current one, or to another name.

        The copy of a directory shares its entries with the original.
        """
        return self._transfer("cp", "copy", "copied", source, destination)

    def _transfer(
        self, command: str, verb: str, participle: str, source: str, destination: str
    ) -> dict[str, Any]:
        if source not in self._current.contents:
            return error(f"{command}: cannot {verb} '{source}': No such file or directory")
        if "/" in destination:
            return error(
                f"{command}: path not allowed in destination. Provide only a file or directory name."
            )
        transfer = self._move if command == "mv" else self._copy
        target = self._current.contents.get(destination)
        if target is None:
            transfer(source, self._current, destination)
            return {"result": f"'{source}' {participle} to '{destination}'"}
        if not isinstance(target, Directory):
            return error(f"{command}: cannot {verb} '{source}' to '{destination}': Not a directory")
        if command == "mv" and source in target.contents:
            return error(f"mv: cannot move '{source}' to '{destination}/{source}': File exists")
        transfer(source, target, source)
        return {"result": f"'{source}' {participle} to '{destination}/{source}'"}

    def _move(self, source: str, directory: Directory, name: str) -> None:
        """Move an entry.

        A moved directory is a new one over the same contents; its entries keep their old parent.
        """
        node = self._current.contents.pop(source)
        try:
            if isinstance(node, File):
                self._place(directory, name, File(name, node.content))
            else:
                self._place(directory, name, Directory(name, directory, node.contents))
        except OSError:
            self._current.contents[source] = node
            raise

    def _copy(self, source: str, directory: Directory, name: str) -> None:
        node = self._current.contents[source]
        if name in directory.contents:
            kind = "File" if isinstance(node, File) else "Directory"
            raise ValueError(f"{kind} '{name}' already exists in directory '{directory.name}'.")
        if isinstance(node, File):
            self._place(directory, name, File(name, node.content))
            return
        copy = Directory(name, directory, dict(node.contents))
        if directory is node:
            # BFCL puts the copy in place before it fills it, so a directory copied into itself contains itself.
            copy.contents[name] = copy
        self._place(directory, name, copy)

    # Reading.

    def cat(self, file_name: str) -> dict[str, Any]:
        """Return the text of a file."""
        if _has_invalid_character(file_name):
            return error(f"cat: '{file_name}': Invalid character")
        node = self._current.contents.get(file_name)
        if isinstance(node, File):
            return {"file_content": node.content}
        problem = "No such file or directory" if node is None else "Is a directory"
        return error(f"cat: '{file_name}': {problem}")

    def wc(self, file_name: str, mode: str = "l") -> dict[str, Any]:
        """Count the lines, words or characters of a file."""
        if mode not in ("l", "w", "c"):
            return error(f"wc: invalid mode '{mode}'")
        content = self._text(file_name)
        if content is None:
            return _not_found("wc", file_name)
        if mode == "l":
            return {"count": len(content.splitlines()), "type": "lines"}
        if mode == "w":
            return {"count": len(content.split()), "type": "words"}
        return {"count": len(content), "type": "characters"}

    def sort(self, file_name: str) -> dict[str, Any]:
        """Return the lines of a file in sorted order; the file does not change."""
        content = self._text(file_name)
        if content is None:
            return _not_found("sort", file_name)
        return {"sorted_content": "\n".join(sorted(content.splitlines()))}

    def grep(self, file_name: str, pattern: str) -> dict[str, Any]:
        """Return the lines of a file that contain a text."""
        content = self._text(file_name)
        if content is None:
            return _not_found("grep", file_name)
        return {"matching_lines": [line for line in content.splitlines() if pattern in line]}

    def tail(self, file_name: str, lines: int = 10) -> dict[str, Any]:
        """Return the last lines of a file; ``lines=0`` returns all of them."""
        content = self._text(file_name)
        if content is None:
            return _not_found("tail", file_name)
        all_lines = content.splitlines()
        if lines > len(all_lines):  # noqa: PLR1730 - min would refuse a text with another message
            lines = len(all_lines)
        return {"last_lines": "\n".join(all_lines[-lines:])}

    def diff(self, file_name1: str, file_name2: str) -> dict[str, Any]:
        """Return the lines in which two files differ, up to the end of the shorter file."""
        first, second = self._text(file_name1), self._text(file_name2)
        if first is None or second is None:
            return _not_found("diff", f"{file_name1} or {file_name2}")
        pairs = zip(first.splitlines(), second.splitlines(), strict=False)
        return {"diff_lines": "\n".join(f"- {old}\n+ {new}" for old, new in pairs if old != new)}

    def _text(self, file_name: str) -> str | None:
        node = self._current.contents.get(file_name)
        return node.content if isinstance(node, File) else None


def _has_invalid_character(name: str) -> bool:
    return any(character in name for character in _INVALID_CHARACTERS)


def _not_found(command: str, file_name: str) -> dict[str, Any]:
    return error(f"{command}: {file_name}: No such file or directory")
