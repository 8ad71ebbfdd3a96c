"""Fixtures for all tests: where reference data is, when it is there; a provider on loopback."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from made_once import made_once, run_the_suite_twice
from provider_server import ProviderServer

EXAMPLES = 25
"""How many examples a property test tries."""

# pytest has read it; those that tests start have options of their own.
os.environ.pop("PYTEST_ADDOPTS", None)

with suppress(ImportError):  # environments of their own have other tests
    from hypothesis import HealthCheck, settings

    # How long an example takes says what else the machine does. The same examples in each run, so that a test that fails was broken by
    # the change at hand; `make properties` looks for others, and for more.
    wanted = os.environ.get("FIDUCIAL_EXAMPLES")
    settings.register_profile(
        "any machine",
        deadline=None,
        derandomize=wanted is None,
        max_examples=int(wanted or EXAMPLES),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("any machine")

pytest_plugins = ["any_folder_name", "installed_plugins", "pytester"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, and afterwards only in what tests make.

    Modules and tests stay until the end, and there are many.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Enable Ctrl-C in commands of tests; a shell ignores it in background processes."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache_folder_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep whoever runs the tests from sharing their cache folder with them."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return the reference data's folder, FIDUCIAL_REFERENCE; skip the test without it."""
    folder = os.environ.get("FIDUCIAL_REFERENCE")
    if not folder:
        pytest.skip("FIDUCIAL_REFERENCE is not set: not compared with reference data")
    path = Path(folder)
    assert path.is_dir(), f"FIDUCIAL_REFERENCE names no folder: {folder}"
    return path


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove keys, endpoints and team files; use the test's own working and cache folders."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def demo_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs over the built-in suite, ``demo`` and ``other``.

    Copy it before a command writes there.

    All workers of one test run share it.
    """
    return made_once(tmp_path_factory, "demo-runs", run_the_suite_twice)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """Yield a server that answers 1 in the form asked for; set its ``script`` for another."""
    with ProviderServer() as running:
        yield running


@pytest.fixture(scope="session")
def bfcl_data() -> Path:
    """A dozen entries of our own, in the form of BFCL's data files."""
    return Path(__file__).parent / "formats" / "bfcl" / "suite"


@pytest.fixture
def objects_in_memory() -> Iterator[Any]:
    """The object store that is in memory (``memory://``), empty before and after."""
    memory: Any = pytest.importorskip("fsspec").filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    yield memory
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


@pytest.fixture
def typed_options() -> Iterator[None]:
    """Messages name options, as on the command line."""
    from fiducial.cli.spelled_options import option_of
    from fiducial.spelling import spelled_as_options

    with spelled_as_options(option_of):
        yield
