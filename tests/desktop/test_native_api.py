"""The window's line may be cut at any moment, also while the hub sends."""

from typing import Any

import pytest
from starlette.websockets import WebSocket

from lararium_daemon.protocol.errors import LarariumError
from lararium_desktop.hub.native import NativeChannel
from lararium_desktop.hub.native_api import sender

pytestmark = pytest.mark.anyio


async def test_what_is_sent_to_a_window_that_just_went_away_finds_no_window() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        if message["type"] == "websocket.send":
            raise OSError("the line is cut")

    socket, channel = WebSocket({"type": "websocket"}, receive, send), NativeChannel()
    await socket.accept()
    async with channel.attach(sender(socket)):
        for _ in range(2):  # the second time the socket knows
            with pytest.raises(LarariumError) as caught:
                await channel.request("allow_origins", {"origins": ""})
            assert caught.value.code == "no_window"
