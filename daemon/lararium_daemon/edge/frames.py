"""What a WebSocket's client sent, whichever kind of frame it chose."""

from starlette.websockets import WebSocket, WebSocketDisconnect


async def receive_frame(socket: WebSocket) -> str | bytes:
    """Wait for the next message; text and binary frames are the same to us.

    Starlette's `receive_text` takes the kind for granted and breaks on the other one.

    Raises:
        WebSocketDisconnect: the client left.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"], message.get("reason"))
    text: str | None = message.get("text")
    return message.get("bytes", b"") if text is None else text
