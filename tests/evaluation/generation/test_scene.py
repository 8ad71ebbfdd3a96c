"""Worlds that take time do not keep a command from ending."""

from __future__ import annotations

import asyncio
import threading

import pytest

from fiducial.evaluation.generation.scene import in_daemon_thread


@pytest.mark.attack("the web of agents")
def test_nobody_waits_for_a_world_that_never_answers_once_all_is_broken_off():
    never = threading.Event()

    async def broken_off() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_daemon_thread(never.wait), 0.05)

    command = threading.Thread(target=asyncio.run, args=(broken_off(),), daemon=True)
    command.start()
    command.join(30)
    assert not command.is_alive()
    never.set()


def test_what_a_world_returns_or_raises_is_told():
    async def both() -> int:
        with pytest.raises(ZeroDivisionError):
            await in_daemon_thread(lambda: 1 // 0)
        return await in_daemon_thread(lambda: 5)

    assert asyncio.run(both()) == 5


def test_a_world_that_raises_stop_iteration_does_not_keep_its_agent_waiting():
    async def once() -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(in_daemon_thread(lambda: next(iter(()))), 10)

    asyncio.run(once())
