"""Ray engine: checkers as tasks, judges' model clients in actors, locally or on a cluster.

The driver sends lines of text and pure functions, and gets lines back. Only the driver writes the run folder, counts the budget and
limits the rate. So both limits apply to all actors together, nothing is written twice, and a killed driver resumes like any run.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from ...errors import ConfigurationError, MissingExtraError, WorkerError
from ...judges.transport.exchange import CallError, Provider, Reply, Request
from ...records import Closing
from ...spelling import setting, spelled_word

T = TypeVar("T")

_OBJECT_STORE_BYTES = 128 * 1024 * 1024
"""Shared memory of a Ray that is started here; it may be small, since parts of work are."""

_CONNECT_SECONDS = 10.0
"""Seconds to wait for a cluster's answer."""

_CALLS_OF_ACTOR = 1_000
"""Maximum number of concurrent calls of one actor; the driver limits the number of all calls."""


class RayEngine(Closing):
    """Engine on Ray, which is started, or joined, with the first piece of work.

    Args:
        address: Address of the cluster, or ``auto`` for the cluster of this machine; None starts Ray on this machine.
        workers: Number of tasks or actors at a time, or None for the number of the cluster's processors.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self._address = address
        self._workers = workers
        self._started = False
        self._folder: str | None = None

    @cached_property
    def _ray(self) -> Any:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # it reports home otherwise
        if self._address is None and "ray" not in sys.modules:  # Ray reads these when it is imported
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            ray: Any = import_module("ray")  # an extra, and slow to import
        except ImportError as error:
            raise MissingExtraError("ray", spelled_word("engine", "ray")) from error
        if not ray.is_initialized():
            try:
                ray.init(log_to_driver=False, logging_level="ERROR", **self._cluster_arguments())
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise ConfigurationError(
                    f"{spelled_word('engine', 'ray')}: no cluster can be reached: {_first_line(error)}"
                ) from error
            self._started = True
        return ray

    def _cluster_arguments(self) -> dict[str, Any]:
        """Return the arguments of `ray.init` for the cluster to join or to start."""
        if self._address is not None:
            address = own_address() if self._address == "auto" else self._address
            _require_reachable(address)
            return {"address": address}
        options = {
            "num_cpus": self._workers,
            "object_store_memory": _OBJECT_STORE_BYTES,
            "include_dashboard": False,
        }
        if os.name != "posix":
            return {"address": "local", **options}
        # Every user may write into Ray's folder, from which workers load code, so it is created inside a private one.
        # That is in /tmp, since the paths of sockets must be short.
        self._folder = tempfile.mkdtemp(prefix="fiducial-ray-", dir="/tmp")
        return {"address": "local", "_temp_dir": f"{self._folder}/ray", **options}

    @cached_property
    def workers(self) -> int:
        """Number of tasks or actors that run at a time."""
        return self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def in_order(self, work: Callable[[T], bytes], parts: Iterable[T]) -> Iterator[bytes]:
        """Do work on parts, several at a time.

        If a worker is killed, another one repeats its part. A part that raises is repeated in this process, so that the error looks as it
        would without Ray.

        Yields:
            The results, in the order of the parts.

        Raises:
            WorkerError: Workers were killed repeatedly.
        """
        ray = self._ray
        task, work_reference = ray.remote(max_retries=3)(_call), ray.put(work)
        waiting: deque[tuple[T, Any]] = deque()
        for part in parts:
            waiting.append((part, task.remote(work_reference, part)))
            if len(waiting) > 2 * self.workers:  # enough to keep workers busy; more would fill the memory
                yield self._result_of(work, *waiting.popleft())
        while waiting:
            yield self._result_of(work, *waiting.popleft())

    def _result_of(self, work: Callable[[T], bytes], part: T, reference: Any) -> bytes:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError:  # raised by the work itself, which raises it here again
            return work(part)
        except errors.RayError as error:
            raise WorkerError(
                f"Ray workers were lost repeatedly: {_first_line(error)}; finished work is saved, rerun the command to continue"
            ) from error

    def elsewhere(self, make: Callable[[], Provider]) -> Provider:
        """Return a provider that sends requests from actors, each with its own client.

        All endpoints and judges share the actors.
        """
        return _RayProvider(self._ray, self._actors, make)

    @cached_property
    def _actors(self) -> _Actors:
        # Actors restart however often they die. They only wait for replies, so they claim no processor.
        actor = self._ray.remote(
            max_restarts=-1, max_concurrency=_CALLS_OF_ACTOR, num_cpus=0, scheduling_strategy="SPREAD"
        )(_Asker)
        handles = [actor.remote() for _ in range(self.workers)]
        try:
            # Otherwise the time of their start would count as a slow reply.
            self._ray.get([handle.wait_until_started.remote() for handle in handles])
        except self._ray.exceptions.RayError as error:
            raise WorkerError(f"Ray started no workers to ask from: {_first_line(error)}") from error
        return _Actors(handles, [0] * self.workers)

    def close(self) -> None:
        """End the actors, and Ray if it was started here."""
        if "_actors" in self.__dict__:
            for handle in self._actors.handles:
                self._ray.kill(handle)
        if self._started:
            self._ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _call(work: Callable[[T], bytes], part: T) -> bytes:
    return work(part)


class _Actors(NamedTuple):
    """Actors, with the number of calls each has in flight."""

    handles: list[Any]
    in_flight: list[int]


class _Asker:
    """Actor with a client for each endpoint and judge."""

    def __init__(self) -> None:
        self._providers: dict[str, Provider] = {}

    def wait_until_started(self) -> None:
        """Return once the actor has started; calls to an actor wait until then."""

    async def complete(self, name: str, make: Callable[[], Provider], request: Request) -> Reply | CallError:
        """Return the reply or the error; a raised error would lose its details on the way."""
        if name not in self._providers:
            self._providers[name] = make()
        try:
            return await self._providers[name].complete(request)
        except CallError as error:
            return error.with_traceback(None)

    async def aclose(self, name: str) -> None:
        if name in self._providers:
            await self._providers.pop(name).aclose()


class _RayProvider:
    """Provider that asks the actor with the fewest calls in flight.

    An actor that dies is restarted; its calls are retried as after any failure.
    """

    def __init__(self, ray: Any, actors: _Actors, make: Callable[[], Provider]) -> None:
        self._ray = ray
        self._actors = actors
        self._make = ray.put(make)
        self._name = uuid4().hex

    async def complete(self, request: Request) -> Reply:
        """Return the reply to a request; see `Provider.complete`."""
        handles, in_flight = self._actors
        number = in_flight.index(min(in_flight))
        in_flight[number] += 1
        reference = handles[number].complete.remote(self._name, self._make, request)
        try:
            reply: Reply | CallError = await reference
        except asyncio.CancelledError:
            self._ray.cancel(reference)  # otherwise a hanging call would go on
            raise
        except self._ray.exceptions.RayError as error:
            raise CallError("the worker of Ray that asked was lost", retryable=True) from error
        finally:
            in_flight[number] -= 1
        if isinstance(reply, CallError):
            raise reply
        return reply

    async def aclose(self) -> None:
        for actor in self._actors.handles:
            with suppress(self._ray.exceptions.RayError):  # the actor has ended already
                await actor.aclose.remote(self._name)


def own_address() -> str:
    """Return the address of the cluster on this machine that this user, or root, started.

    Ray itself would join any user's cluster, and that user could then read the endpoint's key and forge results.

    Raises:
        ConfigurationError: There is none, or there are several.
    """
    address = os.environ.get("RAY_ADDRESS")
    if address and address != "auto":
        return address
    psutil: Any = import_module("psutil")  # a dependency of Ray
    own, others = set[str](), set[str]()
    for process in psutil.process_iter(["cmdline", "uids"]):
        words: list[str] = process.info["cmdline"] or []
        if words and Path(words[0]).name.startswith("raylet"):
            addresses = (word.partition("=")[2] for word in words if word.startswith("--gcs-address="))
            uids = process.info["uids"]
            (own if uids is None or uids.real in {0, os.getuid()} else others).update(addresses)
    if len(own) == 1:
        return own.pop()
    if own:
        raise ConfigurationError(
            f"{spelled_word('engine', 'ray')}: several clusters run here; name one with {setting('address')}: {', '.join(sorted(own))}"
        )
    hint = f"; if you trust another user's, name it: {setting('address', min(others))}" if others else ""
    raise ConfigurationError(
        f"{spelled_word('engine', 'ray')}: no cluster of yours runs on this machine{hint}"
    )


def _require_reachable(address: str) -> None:
    """Fail fast if no cluster answers; Ray would retry for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or "/" in host:  # a form that only Ray understands
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConfigurationError(
            f"{spelled_word('engine', 'ray')}: no reply from {address}: {error}"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
