"""The shell: one level a command, texts only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fiducial.deterministic.environments.file_system import GorillaFileSystem
from fiducial.deterministic.environments.file_tree import MAX_NAME_LENGTH, MAX_NODES, Directory, File, walk


def text(content: str) -> dict[str, Any]:
    return {"type": "file", "content": content}


def folder(**contents: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "directory",
        "contents": {name.replace("_", "."): entry for name, entry in contents.items()},
    }


def shell(*, long_context: bool = False, **contents: dict[str, Any]) -> GorillaFileSystem:
    world = GorillaFileSystem()
    world.load({"root": {"home": folder(**contents)}}, long_context=long_context)
    return world


def files(world: GorillaFileSystem) -> dict[str, Any]:
    """The tree without types and names: a text for a file, a dict for a directory."""

    def plain(node: dict[str, Any]) -> Any:
        if node["type"] == "file":
            return node["content"]
        return {name: plain(inner) for name, inner in node["contents"].items()}

    return plain(world.state()["root"])


def repeat(step: Callable[[int], None], times: int) -> None:
    for turn in range(times):
        step(turn)


class TestWhereOneIs:
    def test_the_path_begins_with_the_roots_own_name(self) -> None:
        world = shell(docs=folder(old=folder()))
        world.cd("docs")
        world.cd("old/")
        assert world.pwd() == {"current_working_directory": "/home/docs/old"}

    def test_without_a_scenario_there_is_an_empty_root(self) -> None:
        world = GorillaFileSystem()
        world.load({})
        assert world.pwd() == {"current_working_directory": "//"}
        assert world.ls() == {"current_directory_content": []}

    @pytest.mark.parametrize(
        ("target", "answer"),
        [
            ("docs", {"current_working_directory": "docs"}),
            ("docs//", {"current_working_directory": "docs"}),
            (".", {"current_working_directory": "home"}),
            ("", {"current_working_directory": "home"}),
            ("/", {"current_working_directory": "home"}),
            ("..", {"error": "Current directory is already the root. Cannot go back."}),
            ("a.txt", {"error": "cd: 'a.txt': No such file or directory"}),
            (
                "docs/old",
                {"error": "cd: docs/old: Unsupported path. Only one folder level at a time is supported."},
            ),
        ],
    )
    def test_changing_directory_goes_one_level(self, target: str, answer: dict[str, Any]) -> None:
        assert shell(docs=folder(old=folder()), a_txt=text("")).cd(target) == answer

    def test_going_up_answers_nothing(self) -> None:
        world = shell(docs=folder())
        world.cd("docs")
        assert world.cd("..") == {}
        assert world.pwd() == {"current_working_directory": "/home"}

    def test_names_with_a_leading_dot_are_listed_on_demand(self) -> None:
        world = shell(a=text(""), _hidden=text(""))
        assert world.ls() == {"current_directory_content": ["a"]}
        assert world.ls(a=True) == {"current_directory_content": ["a", ".hidden"]}

    def test_the_current_directory_is_not_part_of_the_state(self) -> None:
        one, other = shell(docs=folder()), shell(docs=folder())
        one.cd("docs")
        assert one.state() == other.state()


class TestFinding:
    @pytest.mark.parametrize(
        ("path", "name", "matches"),
        [
            (".", None, ["./docs", "./docs/a.txt", "./b.txt"]),
            ("./", "txt", ["./docs/a.txt", "./b.txt"]),
            (None, "b", ["./b.txt"]),
            ("docs", "", ["docs/a.txt"]),
            ("./docs/", None, ["./docs/a.txt"]),
            ("/", "a", ["/docs/a.txt"]),
            ("/docs", None, ["/docs/a.txt"]),
        ],
    )
    def test_it_goes_depth_first_below_a_path(
        self, path: str | None, name: str | None, matches: list[str]
    ) -> None:
        world = shell(docs=folder(a_txt=text("")), b_txt=text(""))
        assert world.find(path, name) == {"matches": matches}

    @pytest.mark.parametrize("path", ["nowhere", "..", "docs/..", "b.txt", ""])
    def test_a_path_that_leads_nowhere_is_an_error(self, path: str) -> None:
        world = shell(docs=folder(), b_txt=text(""))
        assert world.find(path) == {"error": f"find: '{path}': No such file or directory"}

    def test_sizes_are_those_of_the_texts_as_utf_8(self) -> None:
        world = shell(docs=folder(a=text("é" * 1024)), b=text("12"))
        assert world.du() == {"disk_usage": "2050 bytes"}
        assert world.du(human_readable=True) == {"disk_usage": "2.00 KB"}


class TestMakingAndRemoving:
    def test_directories_and_files_are_made_here(self) -> None:
        world = shell()
        assert world.mkdir("docs") is None
        assert world.touch("a.txt") is None
        assert files(world) == {"docs": {}, "a.txt": ""}

    @pytest.mark.parametrize("name", ["a|b", "a/b", "a?", 'a"', "a*", "<a>", "a:b", "a%", "a\\b"])
    def test_some_characters_are_not_for_names(self, name: str) -> None:
        world = shell()
        assert world.mkdir(name) == {"error": f"mkdir: cannot create directory '{name}': Invalid character"}
        assert world.touch(name) == {"error": f"touch: cannot touch '{name}': Invalid character"}
        assert world.echo("x", name) == {"error": f"echo: cannot write to '{name}': Invalid character"}
        assert world.cat(name) == {"error": f"cat: '{name}': Invalid character"}

    def test_what_exists_is_not_made_again(self) -> None:
        world = shell(a=text("kept"))
        assert world.mkdir("a") == {"error": "mkdir: cannot create directory 'a': File exists"}
        assert world.touch("a") == {"error": "touch: cannot touch 'a': File exists"}
        assert files(world) == {"a": "kept"}

    def test_echo_writes_over_a_file_and_makes_none(self) -> None:
        world = shell(a=text("old"), docs=folder())
        assert world.echo("hello") == {"terminal_output": "hello"}
        assert world.echo("hello", "") == {"terminal_output": "hello"}
        assert world.echo("new", "a") is None
        assert world.echo("new", "b") == {"error": "echo: cannot write to 'b': No such file"}
        with pytest.raises(AttributeError, match="'Directory' object has no attribute '_write'"):
            world.echo("new", "docs")
        assert files(world) == {"a": "new", "docs": {}}

    def test_a_directory_with_content_is_removed_only_by_rm(self) -> None:
        world = shell(docs=folder(a=text("")), a=text(""))
        assert world.rmdir("docs") == {"error": "rmdir: cannot remove 'docs': Directory not empty"}
        assert world.rmdir("a") == {"error": "rmdir: cannot remove 'a': Not a directory"}
        assert world.rmdir("b") == {"error": "rmdir: cannot remove 'b': No such file or directory"}
        assert world.rm("b") == {"error": "rm: cannot remove 'b': No such file or directory"}
        assert world.rm("docs") == {"result": "'docs' removed"}
        assert files(world) == {"a": ""}

    def test_an_empty_directory_is_removed(self) -> None:
        world = shell(docs=folder())
        assert world.rmdir("docs") == {"result": "'docs' removed"}
        assert files(world) == {}


class TestMovingAndCopying:
    def test_a_renamed_entry_goes_to_the_end(self) -> None:
        world = shell(a=text("1"), b=text("2"))
        assert world.mv("a", "c") == {"result": "'a' moved to 'c'"}
        assert world.ls() == {"current_directory_content": ["b", "c"]}

    def test_a_directory_takes_what_is_moved_or_copied_to_it(self) -> None:
        world = shell(a=text("1"), docs=folder())
        assert world.cp("a", "docs") == {"result": "'a' copied to 'docs/a'"}
        assert world.mv("a", "docs") == {"error": "mv: cannot move 'a' to 'docs/a': File exists"}
        with pytest.raises(ValueError, match=r"^File 'a' already exists in directory 'docs'\.$"):
            world.cp("a", "docs")
        assert files(world) == {"a": "1", "docs": {"a": "1"}}

    @pytest.mark.parametrize(("command", "verb"), [("mv", "move"), ("cp", "copy")])
    def test_paths_files_and_missing_entries_are_refused(self, command: str, verb: str) -> None:
        world = shell(a=text("1"), b=text("2"))
        run = getattr(world, command)
        refused = f"{command}: cannot {verb}"
        assert run("c", "a") == {"error": f"{refused} 'c': No such file or directory"}
        assert run("a", "b") == {"error": f"{refused} 'a' to 'b': Not a directory"}
        assert run("a", "../b") == {
            "error": f"{command}: path not allowed in destination. Provide only a file or directory name."
        }
        assert files(world) == {"a": "1", "b": "2"}

    def test_a_copied_file_is_independent(self) -> None:
        world = shell(a=text("1"))
        world.cp("a", "b")
        world.echo("2", "b")
        assert files(world) == {"a": "1", "b": "2"}

    def test_a_copied_directory_shares_what_is_in_it_but_not_the_list_of_it(self) -> None:
        world = shell(docs=folder(a=text("1")))
        world.cp("docs", "copy")
        world.cd("copy")
        world.echo("2", "a")
        world.touch("b")
        assert files(world) == {"docs": {"a": "2"}, "copy": {"a": "2", "b": ""}}

    def test_what_is_in_a_moved_directory_still_leads_up_to_the_old_one(self) -> None:
        world = shell(docs=folder(old=folder()))
        world.mv("docs", "papers")
        world.cd("papers")
        world.cd("old")
        assert world.pwd() == {"current_working_directory": "/home/docs/old"}

    def test_a_directory_moved_into_itself_is_gone(self) -> None:
        world = shell(docs=folder())
        assert world.mv("docs", "docs") == {"result": "'docs' moved to 'docs/docs'"}
        assert files(world) == {}

    def test_a_directory_copied_into_itself_contains_itself(self) -> None:
        world = shell(docs=folder(a=text("1")))
        assert world.cp("docs", "docs") == {"result": "'docs' copied to 'docs/docs'"}
        inner = world.state()["root"]["contents"]["docs"]["contents"]["docs"]
        assert inner["contents"]["docs"] == {"__cycle__": True}
        for command in (world.find, world.du):
            with pytest.raises(RecursionError):
                command()


class TestReading:
    def test_cat_reads_files_only(self) -> None:
        world = shell(a=text("hello"), docs=folder())
        assert world.cat("a") == {"file_content": "hello"}
        assert world.cat("docs") == {"error": "cat: 'docs': Is a directory"}
        assert world.cat("b") == {"error": "cat: 'b': No such file or directory"}

    @pytest.mark.parametrize(
        ("mode", "answer"),
        [
            ("l", {"count": 2, "type": "lines"}),
            ("w", {"count": 3, "type": "words"}),
            ("c", {"count": 12, "type": "characters"}),
            ("x", {"error": "wc: invalid mode 'x'"}),
        ],
    )
    def test_wc_counts_lines_words_or_characters(self, mode: str, answer: dict[str, Any]) -> None:
        assert shell(a=text("one two\ncafé")).wc("a", mode) == answer

    def test_sort_leaves_the_file_as_it_is(self) -> None:
        world = shell(a=text("b\nB\na"))
        assert world.sort("a") == {"sorted_content": "B\na\nb"}
        assert files(world) == {"a": "b\nB\na"}

    def test_grep_is_case_sensitive_and_knows_no_patterns(self) -> None:
        assert shell(a=text("one.\nOne\ntwo")).grep("a", "e.") == {"matching_lines": ["one."]}

    @pytest.mark.parametrize(
        ("lines", "last"), [(1, "c"), (2, "b\nc"), (99, "a\nb\nc"), (0, "a\nb\nc"), (-1, "b\nc")]
    )
    def test_tail_cuts_as_a_slice_does(self, lines: int, last: str) -> None:
        assert shell(a=text("a\nb\nc")).tail("a", lines) == {"last_lines": last}

    def test_a_text_of_lines_is_refused_in_the_words_of_the_apis_comparison(self) -> None:
        with pytest.raises(TypeError, match="'>' not supported between instances of 'str' and 'int'"):
            shell(a=text("a")).tail("a", "1")  # pyright: ignore[reportArgumentType] - what a model may give

    def test_diff_stops_with_the_shorter_file(self) -> None:
        world = shell(a=text("1\n2\n3"), b=text("1\nx"))
        assert world.diff("a", "b") == {"diff_lines": "- 2\n+ x"}
        assert world.diff("a", "c") == {"error": "diff: a or c: No such file or directory"}

    @pytest.mark.parametrize("command", ["wc", "sort", "tail"])
    def test_a_directory_is_no_file_to_read(self, command: str) -> None:
        assert getattr(shell(docs=folder()), command)("docs") == {
            "error": f"{command}: docs: No such file or directory"
        }


class TestLongContext:
    def test_files_grow_but_for_some_names(self) -> None:
        tree = files(shell(long_context=True, a=text("start"), log_txt=text("start"), docs=folder()))
        assert tree["a"].startswith("start")
        assert len(tree["a"]) > 3_000
        assert tree["log.txt"] == "start"

    def test_directories_without_a_subdirectory_fill_up_behind_their_own_files(self) -> None:
        tree = files(shell(long_context=True, a=text(""), docs=folder(b=text(""))))
        assert list(tree) == ["a", "docs"]
        assert len(tree["docs"]) == 31
        assert next(iter(tree["docs"])) == "b"

    def test_a_directory_made_later_stays_empty(self) -> None:
        world = shell(long_context=True, docs=folder())
        world.mkdir("new")
        assert files(world)["new"] == {}

    def test_a_name_clash_is_an_error_of_the_scenario(self) -> None:
        added = next(iter(files(shell(long_context=True))))
        tree = {"home": {"type": "directory", "contents": {added: text("")}}}
        with pytest.raises(ValueError, match="already exists"):
            GorillaFileSystem().load({"root": tree}, long_context=True)


class TestBounds:
    def test_copies_of_copies_do_not_grow_without_end(self) -> None:
        world = shell(d0=folder(a=text("")))

        def double(level: int) -> None:
            world.mkdir(f"d{level + 1}")
            world.cp(f"d{level}", f"d{level + 1}")
            world.cp(f"d{level}", "twin")
            world.mv("twin", f"d{level + 1}")

        with pytest.raises(OSError, match="No space left"):
            repeat(double, 60)
        assert len(world.find()["matches"]) <= MAX_NODES

    def test_the_tree_does_not_grow_too_deep_to_be_compared(self) -> None:
        def deep() -> GorillaFileSystem:
            world = shell()

            def descend(_: int) -> None:
                world.mkdir("d")
                world.cd("d")

            with pytest.raises(OSError, match="No space left"):
                repeat(descend, 1_000)
            return world

        assert deep().state() == deep().state()

    def test_long_names_in_deep_trees_do_not_make_listings_of_megabytes(self) -> None:
        world = shell()

        def descend(_: int) -> None:
            world.mkdir("d" * MAX_NAME_LENGTH)
            world.cd("d" * MAX_NAME_LENGTH)

        repeat(descend, 95)
        world.cd("/")
        with pytest.raises(OSError, match="more than 1000000 characters"):
            world.find()

    def test_a_walk_ends_even_where_nobody_counted(self) -> None:
        crowd = Directory("crowd", contents={str(n): File(str(n)) for n in range(MAX_NODES + 1)})
        with pytest.raises(OSError, match="Too many entries"):
            list(walk(crowd))

    def test_a_refused_move_leaves_the_entry_where_it_was(self) -> None:
        world = shell(a=text("1"))
        with pytest.raises(OSError, match="File name too long"):
            world.mv("a", "x" * 1_000)
        assert files(world) == {"a": "1"}
