"""What desktops say about proxies, read into the variables that say the same."""

import logging
from pathlib import Path

import pytest

from lararium_daemon.providers import proxy_reader
from lararium_daemon.providers.network import proxy_for
from lararium_daemon.providers.proxy_reader import network_environment, read_system
from lararium_daemon.providers.system_proxy import (
    SystemProxy,
    of_gsettings,
    of_kioslaverc,
    of_python,
)
from lararium_daemon.system.logging import redacted

URL = "https://api.example.com/v1"
GNOME = "\n".join(
    f"org.gnome.system.proxy{line}"
    for line in (
        " autoconfig-url ''",
        " ignore-hosts ['localhost', '10.0.0.0/8', \"it's\", '::1']",
        " mode 'manual'",
        ".http authentication-password 'p@ss word'",
        ".http authentication-user 'ana'",
        ".http host 'proxy.example.com'",
        ".http port 8080",
        ".http use-authentication true",
        ".https host 'fd00::5'",
        ".https port 3128",
        ".socks host ''",
        ".socks port 0",
    )
)
KDE = """\
[Proxy Settings]
NoProxyFor[$e]=localhost,10.0.0.0/8 .example.org
ProxyType=1
httpProxy=http://proxy.example.com 8080
httpsProxy=proxy.example.com:3128
socksProxy=http://socks.example.com 1080
"""


def test_gnomes_proxies_ports_login_and_exceptions_are_read() -> None:
    assert of_gsettings(GNOME) == SystemProxy(
        http="http://ana:p%40ss%20word@proxy.example.com:8080",
        https="http://[fd00::5]:3128",
        ignored=("localhost", "10.0.0.0/8", "it's", "::1"),
    )


def test_kdes_proxies_are_read_in_both_of_its_ways_to_write_them() -> None:
    assert of_kioslaverc(KDE) == SystemProxy(
        http="http://proxy.example.com:8080",
        https="http://proxy.example.com:3128",
        socks="socks5://socks.example.com:1080",
        ignored=("localhost", "10.0.0.0/8", ".example.org"),
    )


@pytest.mark.parametrize(
    "read",
    [
        of_gsettings(""),
        of_gsettings(GNOME.replace("'manual'", "'none'")),
        of_gsettings("org.gnome.system.proxy mode 'manual'\norg.gnome.system.proxy.http host 3"),
        of_gsettings("org.gnome.system.proxy mode {'what': <1>}"),
        of_kioslaverc(""),
        of_kioslaverc(KDE.replace("ProxyType=1", "ProxyType=0")),
        of_kioslaverc(KDE.replace("ProxyType=1", "ProxyType=4")),
        of_python({}, is_bypassed=True, host="api.example.com"),
    ],
)
def test_no_proxy_of_the_desktop_means_a_straight_connection(read: SystemProxy) -> None:
    assert read.variables() == {}
    assert read.problem == ""


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (of_gsettings(GNOME.replace("'manual'", "'auto'")), "PAC"),
        (of_kioslaverc(KDE.replace("ProxyType=1", "ProxyType=2")), "PAC"),
        (of_kioslaverc(KDE + "ReversedException=true\n"), "listed hosts alone"),
        (of_kioslaverc("no group\n"), "cannot be read"),
    ],
)
def test_what_cannot_be_followed_is_said_and_not_guessed(read: SystemProxy, said: str) -> None:
    assert said in read.problem
    assert read.variables() == {}


def test_exceptions_of_the_desktop_are_honoured_with_blocks() -> None:
    variables = of_gsettings(GNOME).variables()
    assert proxy_for(URL, variables) == "http://[fd00::5]:3128"
    assert proxy_for("https://10.1.2.3/v1", variables) is None
    python = of_python({"https": "http://p:1"}, is_bypassed=True, host="api.example.com")
    assert proxy_for(URL, python.variables()) is None


def desktop(tmp_path: Path, script: str, **more: str) -> dict[str, str]:
    """Give the environment of a desktop whose `gsettings` is this script."""
    program = tmp_path / "gsettings"
    program.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    program.chmod(0o700)
    path = f"{tmp_path}:/usr/bin:/bin"
    return {"PATH": path, "XDG_CURRENT_DESKTOP": "ubuntu:GNOME", **more}


@pytest.mark.anyio
async def test_the_environment_goes_first_and_this_machine_is_never_asked_about(
    tmp_path: Path,
) -> None:
    asked = tmp_path / "asked"
    given = desktop(tmp_path, f"touch {asked}", HTTPS_PROXY="http://own:1")

    assert await network_environment(given, "system", URL) == given
    del given["HTTPS_PROXY"]
    assert await network_environment(given, "system", "http://127.0.0.1:1/v1") == given
    assert not asked.exists()
    await network_environment(given, "system", URL)
    assert asked.exists()


@pytest.mark.anyio
async def test_exceptions_of_the_environment_hold_for_the_desktops_proxy_too(
    tmp_path: Path,
) -> None:
    (tmp_path / "said").write_text(GNOME, "utf-8")
    given = desktop(tmp_path, f"cat {tmp_path}/said", NO_PROXY="api.example.com")

    read = await network_environment(given, "system", URL)

    assert proxy_for(URL, read) is None
    assert proxy_for("https://10.1.2.3/v1", read) is None
    assert proxy_for("https://other.example.com", read) == "http://[fd00::5]:3128"


@pytest.mark.anyio
async def test_the_setting_goes_before_everything() -> None:
    given = {"HTTPS_PROXY": "http://own:1", "NO_PROXY": "api.example.com", "HOME": "/h"}

    assert await network_environment(given, "off", URL) == {"HOME": "/h"}
    set_to = await network_environment(given, "http://ana:s3cret-word@proxy:8", URL)
    assert proxy_for("https://other.example.com", set_to) == "http://ana:s3cret-word@proxy:8"
    assert proxy_for(URL, set_to) is None
    assert "s3cret-word" not in redacted("it said s3cret-word")


@pytest.mark.anyio
async def test_a_script_of_the_desktop_is_told_of_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = desktop(tmp_path, "echo \"org.gnome.system.proxy mode 'auto'\"")
    with caplog.at_level(logging.WARNING):
        assert proxy_for(URL, await network_environment(given, "system", URL)) is None
    assert "script (PAC), which is not read here" in caplog.text


def test_a_desktop_that_does_not_answer_means_straight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_reader, "READ_SECONDS", 0.1)
    assert read_system(desktop(tmp_path, "exec sleep 30"), URL) == SystemProxy()
    assert read_system(desktop(tmp_path, "exit 1"), URL) == SystemProxy()
    assert read_system({"XDG_CURRENT_DESKTOP": "GNOME", "PATH": ""}, URL) == SystemProxy()
    assert read_system({"PATH": "/usr/bin:/bin"}, URL) == SystemProxy()


def test_kdes_file_is_found_in_its_folder(tmp_path: Path) -> None:
    given = {"XDG_CURRENT_DESKTOP": "KDE", "HOME": str(tmp_path)}
    assert read_system(given, URL) == SystemProxy()
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "kioslaverc").write_text(KDE, "utf-8")
    assert read_system(given, URL).https == "http://proxy.example.com:3128"
