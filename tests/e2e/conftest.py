"""Fixtures of the journeys."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.fakes.chromium import chromium
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_server import llm as llm
from tests.fakes.real_daemon import RealDaemon, real_daemon


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all journeys of a module."""
    with chromium() as running:
        yield running


@pytest.fixture
def daemon(project: Path, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealDaemon]:
    """The daemon of the module's `project`, which asks the scripted model."""
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    with real_daemon(project) as running:
        yield running
