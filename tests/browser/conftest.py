"""A whole playground, and a real Chromium in front of it.

Without Debian's chromium and chromium-driver these tests are skipped on a person's machine; where CI=true they fail.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from playground.standins.claude.client import ClaudeStandin
from playground.standins.slack.client import SlackStandin

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
PICTURES = Path(__file__).parents[2] / "docs" / "images"


@dataclass(frozen=True)
class Playground:
    """One that runs, by its address, and the control sides of its stand-ins."""

    url: str
    slack: SlackStandin
    claude: ClaudeStandin


@pytest.fixture(scope="session")
def chromium() -> Path:
    if missing := [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]:
        said = f"{' and '.join(missing)} not there: install Debian's chromium and chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    return CHROMIUM


@pytest.fixture(scope="module")
def playground(chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    command = [sys.executable, "-m", "playground", "--headless", "--port", "0", "--var"]
    environment = {n: v for n, v in os.environ.items() if n not in ("ANTHROPIC_API_KEY", "REDIS_URL")}
    with subprocess.Popen(
        [*command, str(tmp_path_factory.mktemp("var"))], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            said = _until_open(process)
            yield Playground(
                re.findall(r"Open (http://\S+)", said)[0],
                SlackStandin.attach("http://" + re.findall(r"slack +a stand-in on (\S+)", said)[0]),
                ClaudeStandin.attach("http://" + re.findall(r"claude +a stand-in on (\S+)", said)[0]),
            )
        finally:
            process.terminate()
            process.wait(30)


def _until_open(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("Open "):
            return said
    pytest.fail(f"the playground did not open:\n{said}")


class Page:
    """The page as a person meets it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of the first such element as it is now; "" where there is none. Never stale."""
        script = "return document.querySelector(arguments[0])?.innerText ?? ''"
        return str(self.driver.execute_script(script, selector))

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)"
        return [str(text) for text in self.driver.execute_script(script, selector)]

    def fact(self, name: str) -> str:
        """A number of the control strip, as it is shown."""
        return self.text(f"[data-fact='{name}'] dd")

    def reply(self) -> dict[str, Any]:
        """The bot's first message in the open thread."""
        return dict(
            self.driver.execute_script(
                "const e = document.querySelector('#replies article.bot');"
                "return e ? {ts: e.dataset.ts, text: e.querySelector('.blocks').innerText} : {ts: '', text: ''}"
            )
        )

    def emulate(self, **features: str) -> None:
        media = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def picture(self, name: str, selector: str = "") -> None:
        """Keep what is to be seen, all of it or one part, for the docs, when EVERTHREAD_SCREENSHOTS=1."""
        if os.environ.get("EVERTHREAD_SCREENSHOTS") != "1":
            return
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.execute_script("document.activeElement.blur()")
        taken = self.find(selector).screenshot if selector else self.driver.save_screenshot
        taken(str(PICTURES / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the browser's console holds that is an error."""
        entries: list[dict[str, Any]] = self.driver.get_log("browser")
        return [str(entry["message"]) for entry in entries if entry["level"] == "SEVERE"]


@pytest.fixture(scope="session")
def browser(chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}", "--lang=en-GB"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def page(browser: webdriver.Chrome, playground: Playground) -> Iterator[Page]:
    """The playground's page in a new tab that remembers nothing."""
    start = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        page = Page(browser)
        page.resize(1400, 900)
        everything = {"origin": playground.url.rstrip("/"), "storageTypes": "all"}
        browser.execute_cdp_cmd("Storage.clearDataForOrigin", everything)
        page.complaints()
        browser.get(playground.url)
        yield page
    finally:
        browser.close()
        browser.switch_to.window(start)


def wait_until(happens: Callable[[], Any], describe: str, within: float = 15.0) -> Any:
    """What `happens` answers once that is something; asked every 50 ms."""
    deadline = time.perf_counter() + within
    while not (found := happens()):
        if time.perf_counter() > deadline:
            pytest.fail(f"not within {within:g} s: {describe}")
        time.sleep(0.05)  # noqa: TID251 - a browser tells nobody when it has drawn
    return found


@pytest.fixture
def until() -> Callable[..., Any]:
    return wait_until
