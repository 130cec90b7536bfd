"""A model server is reached through the proxy that the desktop names: a real local one.

The readers of macOS and Windows were not run on macOS and Windows.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.model_asker import ask, text_of

from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.profile_check import check_profile
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.settings import ProfileSettings, Settings

pytestmark = pytest.mark.anyio

FAR = "http://192.0.2.7/v1"
"""An address of documentation (RFC 5737): only a proxy can answer for it."""


async def asked(environment: dict[str, str], proxy: str = "system") -> str:
    saved = ProfileSettings(base_url=FAR, model="fake-model")
    settings = Settings(profiles={"P": saved}, proxy=proxy)
    async with ModelGateway(settings, environment) as gateway:
        return text_of(await ask(gateway.provider_for(None)))


def gnome(tmp_path: Path, llm: FakeLlm) -> dict[str, str]:
    """Give the environment of a GNOME whose settings, in a file of the test, name `llm`."""
    host, _, port = llm.base_url.removeprefix("http://").removesuffix("/v1").partition(":")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "GSETTINGS_BACKEND": "keyfile",
        "XDG_CURRENT_DESKTOP": "GNOME",
    }
    for schema, key, value in (
        ("", "mode", "manual"),
        (".http", "host", host),
        (".http", "port", port),
    ):
        command = ["gsettings", "set", f"org.gnome.system.proxy{schema}", key, value]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=10)
        if done.returncode:
            pytest.skip("the schema of GNOME's proxy settings is not installed")
    return environment


@pytest.mark.skipif(shutil.which("gsettings") is None, reason="gsettings is not installed")
async def test_the_proxy_of_gnome_is_used(tmp_path: Path, llm: FakeLlm) -> None:
    assert await asked(gnome(tmp_path, llm)) == "the "
    assert llm.requests[0].headers["host"] == "192.0.2.7"


async def test_the_proxy_of_the_settings_is_used(llm: FakeLlm) -> None:
    proxy = llm.base_url.removesuffix("/v1")
    assert await asked({"HTTP_PROXY": "http://127.0.0.1:9"}, proxy) == "the "
    assert llm.requests[0].headers["host"] == "192.0.2.7"


async def test_a_profile_is_tried_through_it_before_it_is_saved(llm: FakeLlm) -> None:
    proxy = llm.base_url.removesuffix("/v1")
    tried = await check_profile(Profile("P", FAR, model="fake-model", proxy=proxy), {})
    assert (tried.ok, tried.problem) == (True, "")
    assert llm.requests[0].headers["host"] == "192.0.2.7"
