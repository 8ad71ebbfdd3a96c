"""Workspaces that attack whoever looks at them: builders, and the outcome each must come to."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

DIRECTLY, BY_A_CHILD, AT_EXIT = "directly", "by a child", "at exit"

Build = Callable[[Path], object]


class Hostile(NamedTuple):
    """One attack.

    Attributes:
        name: What it does.
        evaluation: ``file``, ``python`` or ``pytest``.
        build: Puts it into an empty workspace.
        outcomes: Error types that describe it, or None for a pass.
    """

    name: str
    evaluation: str
    build: Build
    outcomes: frozenset[str | None]


def hostile_workspaces(outside: Path) -> Iterator[Hostile]:
    """All attacks.

    Args:
        outside: A folder beside the workspaces, with a file ``secret.txt``, that nothing may touch or read.
    """
    yield from _links(outside)
    yield from _files(outside)
    yield from _scripts(outside)


def _links(outside: Path) -> Iterator[Hostile]:
    """Answers that are links; the challenge looks into ``answer.txt``."""
    secret = outside / "secret.txt"
    up = "../" * 12
    for number, target in enumerate(
        [
            secret,
            "/etc/passwd",
            f"{up}etc/passwd",
            f"../../{outside.name}/secret.txt",
            "/proc/self/environ",
            outside,
        ]
    ):
        yield _file(f"link out {number}", _link(target), "outside_workspace", "missing_file")
    for target in ("/dev/zero", "/dev/random", "/dev/stdin", "/proc/kmsg"):
        yield _file(f"link to {target}", _link(target), "outside_workspace", "missing_file")
    for number, target in enumerate(["answer.txt", "nowhere", "b", "."]):
        yield _file(f"link to nothing {number}", _loop(target), "missing_file", "not_a_file")
    for depth in (1, 2, 5, 10):
        yield _file(f"chain of {depth} links out", _chain(depth, secret), "outside_workspace")
    yield _file("link in a folder that is a link", _folder_link(outside), "missing_file")


def _files(outside: Path) -> Iterator[Hostile]:
    """Answers that are no ordinary file, or stand beside something odd."""
    yield _file("pipe", lambda root: os.mkfifo(root / "answer.txt"), "not_a_file")
    for name, kind, number in (
        ("null", stat.S_IFCHR, 3),
        ("zero", stat.S_IFCHR, 5),
        ("a disk", stat.S_IFBLK, 0),
    ):
        yield _file(f"device like {name}", _device(kind, number), "not_a_file")
    yield _file("hard link to a file outside", _hard_link(outside), None)
    yield _file("folder", lambda root: (root / "answer.txt").mkdir(), "not_a_file")
    yield _file("socket", _socket, "not_a_file", "unreadable_file")
    for size in (17 << 20, 1 << 30, 10 << 30, 1 << 40):
        yield _file(f"file of {size:,} bytes", _sparse(size), "file_too_large")
    for data in (
        b"\xff",
        b"answer \x80",
        b"\xc3\x28",
        b"\xed\xa0\x80",
        bytes(range(256)),
        "answer".encode("utf-16"),
    ):
        yield _file(f"not UTF-8: {data[:4]!r}", _bytes(data), "not_utf8")
    for data in (b"", b"\0" * 1000, b"\r" * 1000, "\u202eansver".encode(), b"ANSWER", b"an swer"):
        yield _file(f"without the word: {data[:4]!r}", _bytes(data), "missing_word")
    for name in (
        b"\xff.txt",
        b"-rf.txt",
        b"a\nb.txt",
        "\u202etxt.txt".encode(),
        b"$(id).txt",
        b"%s%n.txt",
        b"<b>.txt",
        b"x" * 251 + b".txt",
        b"\x1b[2J.txt",
        b" .txt",
        b"\\.txt",
    ):
        yield _file(f"beside a file called {name!r}", _beside(name), None)
    for depth in (10, 63, 200):
        yield _file(f"{depth} folders deep", _deep(depth), None)
    yield _file("5,000 files", _many(5000), None)
    yield _file("5,000 files of the ending", _many(5000, ".txt"), "workspace_too_large", ending=True)
    for name in (
        "fiducial",
        "json",
        "msgspec",
        "os",
        "ctypes",
        "encodings",
        "sitecustomize",
        "usercustomize",
    ):
        yield _file(f"a module called {name}", _posing_as(name, outside), None)


def _file(name: str, build: Build, *outcomes: str | None, ending: bool = False) -> Hostile:
    return Hostile(name, "ending" if ending else "file", build, frozenset(outcomes))


def _link(target: Path | str) -> Build:
    return lambda root: (root / "answer.txt").symlink_to(target)


def _loop(target: str) -> Build:
    def build(root: Path) -> None:
        (root / "answer.txt").symlink_to(target)
        (root / "b").symlink_to("answer.txt")

    return build


def _chain(depth: int, target: Path) -> Build:
    def build(root: Path) -> None:
        for number in range(depth):
            (root / f"link{number}").symlink_to(target if number == 0 else f"link{number - 1}")
        (root / "answer.txt").symlink_to(f"link{depth - 1}")

    return build


def _folder_link(outside: Path) -> Build:
    def build(root: Path) -> None:
        (root / "folder").symlink_to(outside)
        (root / "answer.txt").symlink_to("folder/nothing.txt")

    return build


def _socket(root: Path) -> None:
    here = Path.cwd()
    os.chdir(root)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("answer.txt")
    finally:
        os.chdir(here)


def _device(kind: int, number: int) -> Build:
    """A device, where one can be made; elsewhere what is also no plain file."""

    def build(root: Path) -> None:
        try:
            os.mknod(root / "answer.txt", kind | 0o666, os.makedev(1, number))
        except PermissionError:
            os.mkfifo(root / "answer.txt")

    return build


def _hard_link(outside: Path) -> Build:
    """Not to be told from a file of the workspace's own: it is read, and never written."""
    return lambda root: (root / "answer.txt").hardlink_to(outside / "secret.txt")


def _sparse(size: int) -> Build:
    def build(root: Path) -> None:
        with (root / "answer.txt").open("wb") as file:
            file.truncate(size)

    return build


def _bytes(data: bytes) -> Build:
    return lambda root: (root / "answer.txt").write_bytes(data)


def _beside(name: bytes) -> Build:
    def build(root: Path) -> None:
        (root / "answer.txt").write_text("answer")
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")

    return build


def _deep(depth: int) -> Build:
    def build(root: Path) -> None:
        (root / "answer.txt").write_text("answer")
        here = os.open(root, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("deeper-and-deeper", dir_fd=here)
            below = os.open("deeper-and-deeper", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)

    return build


def _many(count: int, ending: str = "") -> Build:
    def build(root: Path) -> None:
        (root / "answer.txt").write_text("answer")
        for number in range(count):
            (root / f"file{number}{ending}").touch()

    return build


def _posing_as(name: str, outside: Path) -> Build:
    def build(root: Path) -> None:
        (root / "answer.txt").write_text("answer")
        (root / f"{name}.py").write_text(f"open({str(outside / 'touched')!r}, 'w').close()\n")

    return build


def _scripts(outside: Path) -> Iterator[Hostile]:
    """Yield hostile scripts that the challenge runs as ``test.py``.

    It looks for ``answer`` in their output.
    """
    touch = str(outside / "touched")
    secret = str(outside / "secret.txt")
    for name, code, outcomes in _attacks(touch, secret):
        for way, wrapped in _ways(name, code):
            # A limit that ends the child is, for the script that waits for it, an exit code.
            ends = outcomes | {"script_failed"} if way == BY_A_CHILD and "timeout" in outcomes else outcomes
            if way == AT_EXIT and "fork()" in code and sys.version_info >= (3, 12):
                ends |= {"script_failed"}  # from then on an interpreter that ends does not fork
            yield Hostile(f"{name}, {way}", "python", _script(wrapped), frozenset(ends))
    for name in (
        "fiducial",
        "json",
        "msgspec",
        "ctypes",
        "encodings",
        "resource",
        "selectors",
        "launcher",
        "sandbox",
    ):
        yield Hostile(f"beside a module called {name}", "python", _shadowing(name, touch), frozenset({None}))
    for depth in (100, 400):
        yield Hostile(
            f"code {depth} folders deep", "python", _deep_code(depth), frozenset({"workspace_too_large"})
        )
    yield Hostile("code beside 25,000 files", "python", _many(25_000), frozenset({"workspace_too_large"}))
    yield Hostile("code beside 10 GB", "python", _sparse_beside, frozenset({"workspace_too_large"}))
    yield Hostile("code that is a link out", "python", _linked_script(secret), frozenset({"missing_file"}))
    yield Hostile("code that is a pipe", "python", _pipe, frozenset({"missing_file"}))
    yield Hostile("code beside a pipe", "python", _pipe_beside, frozenset({None}))
    yield Hostile("code beside a socket", "python", _socket_beside, frozenset({None}))
    yield Hostile("code that is a hard link", "python", _hard_linked_script(outside), frozenset({_FAILED}))
    yield Hostile("code beside a device link", "python", _device_beside, frozenset({None}))


Attack: TypeAlias = tuple[str, str, set[str | None]]
"""Name, code and what may come of it; code that survives prints the answer itself."""

_FAILED, _TIMEOUT = "script_failed", "timeout"
_FULL: set[str | None] = {_FAILED, _TIMEOUT, "missing_word"}


def _attacks(touch: str, secret: str) -> Iterator[Attack]:
    yield from _greedy(touch)
    yield from _trespassing(touch, secret)


def _greedy(touch: str) -> Iterator[Attack]:
    """Code that takes time, memory, processes or disk until it is stopped."""
    yield "endless loop", "while True: pass", {_TIMEOUT}
    yield "endless sleep", "import time\nwhile True: time.sleep(1)", {_TIMEOUT}
    yield (
        "deaf to signals",
        "import signal, time\nfor n in (2, 15, 14, 24): signal.signal(n, signal.SIG_IGN)\ntime.sleep(99)",
        {_TIMEOUT},
    )
    yield "fork bomb", "import os\nwhile True: os.fork()", {_FAILED, _TIMEOUT, "processes_limit"}
    yield "patient fork bomb", _PATIENT_BOMB, {_TIMEOUT, "processes_limit"}
    yield (
        "threads",
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
        {_FAILED, _TIMEOUT},
    )
    yield "daemon", _DAEMON.format(touch=touch), {None}
    yield (
        "all memory",
        "x = []\nwhile True: x.append(bytearray(1 << 24))",
        {_FAILED, _TIMEOUT, "memory_limit"},
    )
    yield "memory of many", _MEMORY_OF_MANY, {_FAILED, _TIMEOUT, "memory_limit"}
    yield "10 GB in a file", "f = open('big', 'wb')\nfor _ in range(10_240): f.write(bytes(1 << 20))", _FULL
    yield "10 GB in files", "for n in range(10_240): open(f'f{n}', 'wb').write(bytes(1 << 20))", _FULL
    yield "endless output", "while True: print('x' * 100_000)", {_TIMEOUT}


def _trespassing(touch: str, secret: str) -> Iterator[Attack]:
    """Code that reaches for what is not its own, or will not be judged."""
    yield "writes outside", f"open({touch!r}, 'w').close()", {_FAILED}
    yield "reads outside", f"print(open({secret!r}).read())", {_FAILED}
    yield "link out", f"import os\nos.symlink({secret!r}, 'l')\nprint(open('l').read())", {_FAILED}
    yield "climbs out", "import os\nfor _ in range(50): os.chdir('..')\nopen('etc/hostile', 'w')", {_FAILED}
    yield "network", "import socket\nsocket.create_connection(('198.51.100.1', 80), 5)", {_FAILED}
    yield "kills everybody", "import os\nos.kill(-1, 9)", {_FAILED}
    yield "kills its parent", "import os\nos.kill(os.getppid(), 9)\nos.killpg(0, 9)", {_FAILED}
    yield (
        "interrupts its watcher",
        "import os\nfor n in (2, 15, 1, 10): os.kill(1, n)\nraise SystemExit(3)",
        {_FAILED},
    )
    yield "root", "import os\nos.setuid(0)\nos.chroot('/')", {_FAILED}
    yield "not UTF-8", "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe answer')", {"not_utf8"}
    yield "every file name", "import os\nfor n in range(10**6): os.open(f'e{n}', os.O_CREAT)", _FULL
    yield "endless folders", "import os\nwhile True: os.mkdir('d'); os.chdir('d')", {_FAILED, _TIMEOUT}
    yield "writes programs", "import sys, os\nopen(os.__file__, 'a').write('#')", {_FAILED}
    yield (
        "mounts",
        "import subprocess\nsubprocess.check_call(['mount', '-t', 'tmpfs', 'none', '/usr'])",
        {_FAILED},
    )
    yield (
        "shared memory",
        "f = open('/dev/shm/x', 'wb')\nwhile True: f.write(bytes(1 << 20))",
        {_FAILED, _TIMEOUT},
    )
    yield "stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", {_TIMEOUT}
    yield "recursion", "def f(): f()\nf()", {_FAILED}
    yield "lets go of its output", "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(99)", {_TIMEOUT}
    yield "reads its input", "import sys\nprint('answer', sys.stdin.read())", {None}
    yield (
        "looks for keys",
        "import os\nprint('answer' if not [k for k in os.environ if 'KEY' in k] else 'keys')",
        {None},
    )
    yield "crash", "import ctypes\nctypes.string_at(0)", {_FAILED}
    yield (
        "empties its workspace",
        "import shutil\nshutil.rmtree('.', ignore_errors=True)\nprint('answer')",
        {None},
    )


_PATIENT_BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""

_DAEMON = """
import os, time
print('answer', flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(30)
        open({touch!r}, 'w').close()
    os._exit(0)
"""

_MEMORY_OF_MANY = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        held = bytearray(os.urandom(1)) * 60_000_000
        time.sleep(30)
time.sleep(30)
"""


_IN_EVERY_WAY = {
    "endless loop",
    "writes outside",
    "kills everybody",
    "patient fork bomb",
    "lets go of its output",
}
"""Attacks of each sort; the others are tried by the script itself and by a child process."""


def _ways(name: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield an attack by the script itself, by a child process, and after the script's end."""
    yield DIRECTLY, code
    yield BY_A_CHILD, f"import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-c', {code!r}]))"
    if name not in _IN_EVERY_WAY:
        return
    yield "by a module that the test imports", f"__import__('solution')\n#SOLUTION\n{code}"
    yield (
        AT_EXIT,
        f"import atexit, os\ndef attack():\n try: exec({code!r}, {{}})\n except BaseException: os._exit(9)\natexit.register(attack)",
    )


def _script(code: str) -> Build:
    """The test, and what it imports where the two are told apart."""

    def build(root: Path) -> None:
        test, _, solution = code.partition("#SOLUTION\n")
        (root / "test.py").write_text(test)
        (root / "solution.py").write_text(solution)

    return build


def _shadowing(name: str, touch: str) -> Build:
    def build(root: Path) -> None:
        (root / "test.py").write_text("print('answer')")
        (root / f"{name}.py").write_text(f"open({touch!r}, 'w').close()\nraise SystemExit(3)\n")

    return build


def _deep_code(depth: int) -> Build:
    def build(root: Path) -> None:
        _script("print('answer')")(root)
        _deep(depth)(root)

    return build


def _sparse_beside(root: Path) -> None:
    _script("print('answer')")(root)
    _sparse(10 << 30)(root)


def _linked_script(secret: str) -> Build:
    return lambda root: (root / "test.py").symlink_to(secret)


def _pipe(root: Path) -> None:
    os.mkfifo(root / "test.py")


def _pipe_beside(root: Path) -> None:
    _script("print('answer')")(root)
    os.mkfifo(root / "pipe")


def _socket_beside(root: Path) -> None:
    _script("print('answer')")(root)
    _socket(root)


def _hard_linked_script(outside: Path) -> Build:
    """Text that is no program; the copy that runs is written to, the file outside is not."""
    return lambda root: (root / "test.py").hardlink_to(outside / "secret.txt")


def _device_beside(root: Path) -> None:
    _script("print('answer')")(root)
    (root / "zero").symlink_to("/dev/zero")


def challenge(evaluation: str) -> dict[str, Any]:
    """The reference of the challenge that a hostile workspace answers."""
    files = {"python": ["test.py"], "ending": [".txt"]}.get(evaluation, ["answer.txt"])
    kind = "python" if evaluation == "python" else "file"
    return {
        "name": "TestHostile",
        "ground": {"files": files, "should_contain": ["answer"], "eval": {"type": kind}},
    }
