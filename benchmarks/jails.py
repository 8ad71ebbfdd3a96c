"""Overhead of sandboxing a command that does nothing.

Compared: our namespaces, with and without a memory group, and bubblewrap.

    python benchmarks/jails.py [TIMES]

bubblewrap (``apt install bubblewrap``) is passed over where it is not there. As an ordinary user: run it as one.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fiducial.deterministic.sandbox import running
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import run_confined

NOTHING = ["-I", "-S", "-c", ""]
JAIL = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
    *("--symlink", "usr/lib64", "/lib64", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"),
    *("--proc", "/proc", "--dev", "/dev", "--size", "268435456", "--tmpfs", "/work", "--chdir", "/work"),
)


def milliseconds(run: Callable[[], object], times: int) -> str:
    """Return minimum and median milliseconds of several runs, after a warm-up run."""
    run()
    lasted: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        lasted.append(1e3 * (time.perf_counter() - begin))
    return f"{min(lasted):6.0f} least {statistics.median(lasted):6.0f} median"


def no_group(name: str, memory_bytes: int) -> None:
    """Make no control group, as on systems that forbid it."""
    del name, memory_bytes


def main() -> None:
    """Print one line per kind of isolation."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    interpreter = shutil.which("python3", path="/usr/local/bin:/usr/bin") or sys.executable
    print(f"user {os.geteuid()}, milliseconds of {times} runs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def plain() -> object:
            return subprocess.run([interpreter, *NOTHING], check=True)

        def own() -> object:
            return run_confined([[sys.executable, *NOTHING]], folder, Limits())

        def wrapped() -> object:
            return subprocess.run(["bwrap", *JAIL, interpreter, *NOTHING], check=True)

        print(f"an interpreter alone     {milliseconds(plain, times)}")
        memory = run_confined([[sys.executable, *NOTHING]], folder, Limits()).confinement.memory
        print(f"our own, memory {memory:9}{milliseconds(own, times)}")
        make, running.make_group = running.make_group, no_group
        print(f"our own, memory watched  {milliseconds(own, times)}")
        running.make_group = make
        if shutil.which("bwrap"):
            print(f"bubblewrap, no launcher  {milliseconds(wrapped, times)}")


if __name__ == "__main__":
    main()
