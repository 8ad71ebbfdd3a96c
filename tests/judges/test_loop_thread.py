from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fiducial.judges.loop_thread import run_apart, submit


def test_the_loop_is_one_for_all_threads():
    async def name() -> str:
        return threading.current_thread().name

    def asked(_: int) -> str:
        return submit(name()).result()

    with ThreadPoolExecutor(4) as threads:
        names = set(threads.map(asked, range(8)))
    assert names == {"fiducial-judges"}


def test_code_that_wants_to_exit_ends_its_own_work_alone():
    async def leave() -> None:
        raise SystemExit(2)

    async def stay() -> str:
        await asyncio.sleep(0.05)
        return "here"

    staying = submit(stay())
    with pytest.raises(SystemExit):
        submit(leave()).result(timeout=30)
    assert staying.result(timeout=30) == "here"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_worker_gets_a_loop_of_its_own():
    async def one() -> int:
        return 1

    assert submit(one()).result() == 1
    child = os.fork()
    if child == 0:
        alive = submit(one()).result(timeout=10) == 1
        os._exit(0 if alive else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_runs_loops_of_its_own_runs_here_or_in_a_thread_where_a_loop_runs():
    async def thread() -> int:
        return threading.get_ident()

    def work() -> int:
        return asyncio.run(thread())

    async def under_a_loop() -> int:
        return run_apart(work)

    assert run_apart(work) == threading.get_ident()
    assert asyncio.run(under_a_loop()) != threading.get_ident()
