"""The window's navigation policy refuses everything but the hub and the daemons it named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_desktop.window.navigation import (
    AllowedOrigins,
    Navigation,
    judge,
    origin_of,
    parse_origins,
)

HUB = "http://127.0.0.1:4000"
DAEMON = "http://127.0.0.1:4001"
ALLOWED = AllowedOrigins(hub=HUB, daemons=frozenset({DAEMON}))


def test_the_top_frame_shows_the_hub_and_no_daemon():
    assert judge(Navigation(f"{HUB}/#t=ticket", frame="top"), ALLOWED) == "allow"
    assert judge(Navigation(f"{DAEMON}/", frame="top"), ALLOWED) == "refuse"


def test_a_frame_shows_a_daemon_that_the_hub_named():
    assert judge(Navigation(f"{DAEMON}/#t=ticket", frame="child"), ALLOWED) == "allow"
    assert judge(Navigation("http://127.0.0.1:4002/", frame="child"), ALLOWED) == "refuse"


def test_a_navigation_whose_frame_is_not_known_yet_may_begin_only_towards_known_origins():
    assert judge(Navigation(f"{DAEMON}/"), ALLOWED) == "allow"
    assert judge(Navigation("https://example.org/"), ALLOWED) == "refuse"


def test_an_empty_frame_may_stay_empty():
    assert judge(Navigation("about:blank"), ALLOWED) == "allow"
    assert judge(Navigation("about:config"), ALLOWED) == "refuse"


@pytest.mark.parametrize("frame", ["top", "child", "unknown"])
def test_neither_new_windows_nor_downloads_are_let_through_even_to_the_hub(frame: str):
    for refused in (
        Navigation(f"{HUB}/", frame=frame, new_window=True),  # pyright: ignore[reportArgumentType] parametrized literals
        Navigation(f"{HUB}/file", frame=frame, is_download=True),  # pyright: ignore[reportArgumentType] parametrized literals
    ):
        assert judge(refused, ALLOWED) == "refuse"


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1:4000/",
        "http://localhost:4000/",
        "http://127.0.0.1/",
        "http://127.0.0.1.evil.example:4000/",
        "http://evil@127.0.0.1:4000/",
        "http://127.0.0.1:4000@evil.example/",
        "http://127.0.0.1:04000/",
        "http://127.1:4000/",
        "http://2130706433:4000/",
        "http://[::1]:4000/",
        "http:\\\\127.0.0.1:4000/",
        " http://127.0.0.1:4000/",
        "http://127.0.0.1:4000\t/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:port/",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:http://127.0.0.1:4000/1",
        "view-source:http://127.0.0.1:4000/",
        "vscode://evil/x",
        "mailto:a@example.org",
        "",
    ],
)
def test_other_spellings_schemes_and_hosts_are_refused(url: str):
    assert origin_of(url) is None
    assert judge(Navigation(url), ALLOWED) == "refuse"


@given(st.text())
def test_whatever_the_text_only_a_known_origin_is_allowed(url: str):
    if judge(Navigation(url), ALLOWED) == "allow":
        assert url.startswith((HUB, DAEMON)) or url in {"about:blank", "about:srcdoc"}


@given(st.text(alphabet="http:/127.0.1@#?\\:4000evil%\n\t "))
def test_near_misses_of_the_hubs_address_never_pass_for_it(url: str):
    if judge(Navigation(url, frame="top"), ALLOWED) == "allow":
        assert url == HUB or url.startswith((f"{HUB}/", f"{HUB}#", f"{HUB}?"))


@given(st.integers(min_value=1, max_value=65535), st.text(alphabet="abc/#?=&.t"))
def test_every_page_of_the_hub_is_allowed_whatever_its_port(port: int, rest: str):
    hub = f"http://127.0.0.1:{port}"
    assert judge(Navigation(f"{hub}/{rest}", frame="top"), AllowedOrigins(hub=hub)) == "allow"


def test_the_list_of_daemons_holds_origins_only():
    text = f"{DAEMON} http://127.0.0.1:4002/ https://example.org file:///x  http://127.0.0.1:7"
    assert parse_origins(text) == {DAEMON, "http://127.0.0.1:7"}
