"""System calls that bypass the memory limit or reach other processes are blocked for code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from ordinary_user import reachable_interpreter, report_to_ordinary_user

from fiducial.deterministic.sandbox import syscalls
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import run_confined

pytestmark = pytest.mark.skipif(not syscalls.can_filter(), reason="the kernel does not filter system calls")

LIMITS = Limits(wall_seconds=60)
LIBC = "import ctypes, os, signal\nlibc = ctypes.CDLL(None, use_errno=True)\n"
DENIED = {
    "memory in a file without a name": "os.memfd_create('x')",
    "memory shared between processes": "tried(libc.shmget(0, 1 << 20, 0o1600))",
    "messages": "tried(libc.msgget(0, 0o1600))",
    "a user namespace": "tried(libc.unshare(0x10000000))",
    "a mount namespace": "tried(libc.unshare(0x20000))",
    "a process in a namespace": "pid = libc.syscall(CLONE, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\ntried(pid)",
    "a mount": "tried(libc.mount(b'none', b'.', b'tmpfs', 0, None))",
    "limits of another process": "tried(libc.prlimit(1, 7, None, ctypes.create_string_buffer(16)))",
    "the memory of another process": "tried(libc.ptrace(16, 1, None, None))",
}


def attempt(code: str) -> str:
    clone = {"x86_64": 56, "aarch64": 220}
    return (
        f"{LIBC}CLONE = {clone}[os.uname().machine]\n"
        "def tried(result):\n  if result < 0: raise OSError(ctypes.get_errno(), '')\n"
        f"try:\n  {code.replace(chr(10), chr(10) + '  ')}\n  print('done')\nexcept PermissionError: print('denied')"
    )


FAMILIES = (1, 2, 10, 16)
SOCKETS = f"""
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {{"x86_64": (41, 53), "aarch64": (198, 199)}}[os.uname().machine]
def refused(number, family):
    pair = (ctypes.c_int * 2)()
    if libc.syscall(ctypes.c_long(number), ctypes.c_long(family), 2, 0, pair) >= 0:
        return "made"
    return ctypes.get_errno()
others = [each for each in range(64) if each not in {FAMILIES}]
others += [1 + 2**31, 40 + 2**32, 40 + 2**63, -1, 2**32 - 1]
tried = {{refused(number, family) for number in NUMBERS for family in others}}
made = [socket.socket(family, kind) for family, kind in ((1, 1), (2, 1), (10, 2), (16, 3))]
made += socket.socketpair()
print(tried == {{errno.EAFNOSUPPORT}}, len(made), len(socket.if_nameindex()))
"""


@pytest.mark.attack("system calls")
def test_sockets_lead_nowhere_but_to_the_namespace_of_networks(tmp_path: Path):
    report = run_confined([[sys.executable, "-c", SOCKETS]], tmp_path, LIMITS)
    if report.confinement.network != "none":
        pytest.skip("no namespace of networks")
    assert (report.runs[0].out, report.runs[0].code) == (b"True 6 1\n", 0), report.runs[0].err


@pytest.mark.attack("system calls")
@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="calls of 32 bits on x86-64"
)
@pytest.mark.parametrize(
    ("number", "first"), [(359, 40), (102, 1), (360, 40)], ids=["socket", "socketcall", "socketpair"]
)
def test_calls_of_32_bits_are_not_known(tmp_path: Path, number: int, first: int):
    code = (
        "import ctypes, errno, mmap\n"
        f"call = bytes.fromhex('53b8{number.to_bytes(4, 'little').hex()}bb{first.to_bytes(4, 'little').hex()}')\n"
        "call += bytes.fromhex('31c931d2cd805bc3')  # xor ecx, ecx; xor edx, edx; int 0x80; pop rbx; ret\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        "page.write(call)\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(at)() == -errno.ENOSYS)\n"
    )
    report = run_confined([[sys.executable, "-c", code]], tmp_path, LIMITS)
    assert (report.runs[0].out, report.runs[0].code) == (b"True\n", 0), report.runs[0]


@pytest.mark.attack("system calls")
@pytest.mark.parametrize("way", DENIED)
def test_it_is_denied(tmp_path: Path, way: str):
    report = run_confined([[sys.executable, "-c", attempt(DENIED[way])]], tmp_path, LIMITS)
    assert report.confinement.calls == "filtered"
    assert (report.runs[0].out, report.runs[0].code) == (b"denied\n", 0), report.runs[0].err


@pytest.mark.slow
@pytest.mark.attack("system calls")
@pytest.mark.skipif(reachable_interpreter() is None, reason="needs an interpreter that every user can run")
@pytest.mark.parametrize("way", DENIED)
def test_it_is_denied_to_an_ordinary_user(way: str):
    run = report_to_ordinary_user(attempt(DENIED[way]), LIMITS)["runs"][0]
    assert (run["out"], run["code"]) == ("denied\n", 0), run["err"]


def test_what_programs_do_is_allowed(tmp_path: Path):
    code = (
        "import asyncio, multiprocessing, resource, subprocess, sys, threading\n"
        "def double(x): return 2 * x\n"
        "if __name__ == '__main__':\n"
        "  threading.Thread(target=print, args=('thread',)).start()\n"
        "  subprocess.run([sys.executable, '-c', 'print(\"child\")'], check=True)\n"
        "  resource.setrlimit(resource.RLIMIT_CPU, resource.getrlimit(resource.RLIMIT_CPU))\n"
        "  asyncio.run(asyncio.sleep(0))\n"
        "  with multiprocessing.Pool(2) as pool: print(pool.map(double, [1, 2]))\n"
    )
    (tmp_path / "script.py").write_text(code)
    run = run_confined([[sys.executable, "script.py"]], tmp_path, LIMITS).runs[0]
    assert (sorted(run.out.split()), run.code) == (sorted(b"thread child [2, 4]".split()), 0), run.err
