"""A real Chromium for whole journeys; it reaches loopback and nothing else."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> Path:
    """Find the system's browser, or skip the test with the reason."""
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    pytest.skip("no Chromium on this machine (apt install chromium)")


@contextmanager
def chromium() -> Generator[Browser]:
    arguments = [
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--no-first-run",
    ]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # as root Chromium refuses to start with it
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
