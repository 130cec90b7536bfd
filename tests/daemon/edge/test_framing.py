"""Only an origin of this machine may be named as the page's framer."""

import pytest

from lararium_daemon.edge.framing import HubOrigin
from lararium_daemon.protocol.problems import LarariumError


def test_an_origin_is_taken_changed_and_taken_away() -> None:
    holder = HubOrigin()
    assert holder.value == ""
    holder.set("http://127.0.0.1:4567")
    assert holder.value == "http://127.0.0.1:4567"
    holder.set("")
    assert holder.value == ""


@pytest.mark.parametrize(
    "origin",
    [
        "https://127.0.0.1:4567",
        "http://127.0.0.1",
        "http://127.0.0.1:0",
        "http://127.0.0.1:4567/",
        "http://127.0.0.1:4567 *",
        "http://127.0.0.1:4567; script-src *",
        "http://127.0.0.1:4567\r\nX: y",
        "http://localhost:4567",
        "http://evil.example:4567",
        "*",
        "'self'",
    ],
)
def test_anything_else_is_refused_and_changes_nothing(origin: str) -> None:
    holder = HubOrigin("http://127.0.0.1:4567")
    with pytest.raises(LarariumError) as refused:
        holder.set(origin)
    assert refused.value.code == "invalid_origin"
    assert holder.value == "http://127.0.0.1:4567"
