"""Chromium without a window, and its driver, as the system's packages install them."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

WIDE, NARROW = (1280, 800), (400, 800)
"""A laptop's window and a telephone's, in CSS pixels."""

PATIENCE = 120
"""Seconds until what should come is given up."""

_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # Chromium refuses its own sandbox to root; the pages are the tests' own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-features=BackForwardCache,Prerender2",  # a page that was left is gone, and answers for no other one
    "--disable-hang-monitor",
)


class Element(Protocol):
    """Element of a page, with selenium's methods that the tests use."""

    text: str

    def click(self) -> None: ...

    def send_keys(self, *keys: str) -> None: ...

    def get_attribute(self, name: str) -> str | None: ...

    def is_displayed(self) -> bool: ...


class Browser:
    """One window, which the tests open one page after another in."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        self._driver = driver
        self._downloads = downloads

    def open(self, page: Path, *, size: tuple[int, int] = WIDE, dark: bool = False, place: str = "") -> None:
        """Open a file as a new visitor, with no storage or log; `place` follows the `#` or `?`."""
        assert page.is_file()
        _patiently(lambda: self._open(page.absolute().as_uri() + place, size, dark=dark), f"{page} to open")

    def _open(self, address: str, size: tuple[int, int], *, dark: bool) -> None:
        self._driver.get("about:blank")
        width, height = size
        self._tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._tell("Emulation.setEmulatedMedia", media="", features=[scheme, still])
        self._tell("Storage.clearDataForOrigin", origin="file://", storageTypes="all")
        self.console()
        self.requested()
        self._driver.get(address)

    def on_paper(self, *, width: int = 718) -> None:
        """Lay the page out for printing on A4 with usual margins, in dark mode."""
        self._tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False
        )
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        self._tell("Emulation.setEmulatedMedia", media="print", features=[dark])

    def reload(self) -> None:
        self._driver.refresh()

    def address(self) -> str:
        return self._driver.current_url

    def run(self, script: str, *given: Any) -> Any:
        """Return the result of a function body that runs in the page with `arguments`."""
        return self._driver.execute_script(script, *given)

    def run_async(self, script: str, *given: Any) -> Any:
        """Return the value that a function body passes to its last argument, a callback."""
        return self._driver.execute_async_script(script, *given)

    def all(self, selector: str) -> list[Element]:
        return self._driver.find_elements("css selector", selector)

    def one(self, selector: str) -> Element:
        return self._driver.find_element("css selector", selector)

    def press(self, *keys: str) -> None:
        """Type on the keyboard, wherever the page has its focus; what had it may just be closing."""
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self._driver).send_keys(key).perform()

    def until(self, script: str, *given: Any) -> None:
        """Wait until a function body returns true."""
        _wait_for(lambda: self.run(script, *given), script)

    def console(self) -> list[str]:
        """Return the console's messages since the last call."""
        return [str(entry["message"]) for entry in self._log("browser")]

    def requested(self) -> set[str]:
        """Every address asked for since the last question, the page's own among them."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return {
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        }

    def violations(self, axe: Path) -> list[str]:
        """Return axe-core's findings, a line each: the rule, the number of places, the first one."""
        self.run(axe.read_text("utf-8"))
        found: dict[str, Any] = self.run_async(
            "axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])"
        )
        return [
            f"{rule['id']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:200]}: {rule['nodes'][0]['failureSummary'][:300]}"
            for rule in found["violations"]
        ]

    def downloaded(self, name: str) -> Path:
        """A file that the page has handed over, once it is there."""
        path = self._downloads / name
        _wait_for(path.exists, f"the download {name}")
        return path

    def picture(self, path: Path) -> None:
        """Save a screenshot as PNG."""
        _patiently(lambda: self._driver.save_screenshot(str(path)), "a screenshot")

    def _log(self, kind: str) -> list[dict[str, Any]]:
        return self._driver.get_log(kind)

    def _tell(self, command: str, **given: Any) -> None:
        self._driver.execute_cdp_cmd(command, given)


def _wait_for(happened: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, f"waited {PATIENCE} s for {what}"
        time.sleep(0.05)


def _patiently(action: Callable[[], object], what: str) -> None:
    """Try again what a busy browser did not do in time; the driver gives up some commands after 10 s."""
    from selenium.common.exceptions import TimeoutException

    def done() -> bool:
        try:
            action()
        except TimeoutException:
            return False
        return True

    _wait_for(done, what)


@contextmanager
def chromium(folder: Path) -> Generator[Browser]:
    """Start Chromium with its own profile in a folder, and close it; skip tests without it."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="make browser brings selenium")
    program, driver_program = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver_program is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium chromium-driver)")
    downloads = folder / "downloads"
    downloads.mkdir()
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_program))
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    try:
        yield Browser(driver, downloads)
    finally:
        driver.quit()
