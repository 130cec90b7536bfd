"""The limits of one connection, which uvicorn leaves open.

uvicorn alone takes 32 MB of headers and keeps half a request open for ever. Here a head has
16 KiB, 100 fields and ten seconds, an address has 100 connections, and only origin-form targets
(`GET /path`) are read, so that no second host name can hide in the request line.
"""

import asyncio

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from lararium_daemon.edge.headers import with_security_headers
from lararium_daemon.edge.problem import PROBLEM_TYPE, problem_body

HEAD_BYTES = 16 * 1024
HEAD_FIELDS = 100
HEAD_SECONDS = 10.0
CONNECTIONS_PER_ADDRESS = 100
ABORT_SECONDS = 2.0
"""How long a WebSocket that takes nothing may hold on to its connection after its close."""
_UPGRADE_FIELD_BYTES = 8000
"""websockets refuses a line of 8192 bytes with an error that uvicorn does not expect."""

_MALFORMED = (400, "malformed_request", "This is not an HTTP request that this server reads.")
_HEAD_TOO_LARGE = (431, "head_too_large", "The head of the request is too large.")
_TOO_MANY = (503, "too_many_connections", "This address holds too many connections.")


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection, bounded from its first byte."""

    _head_timer: asyncio.TimerHandle | None = None
    _in_head = False
    _head_bytes = 0
    _message_ended = False
    _handed_over = False
    _fault = _MALFORMED

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or answer 503 when its address has too many."""
        super().connection_made(transport)
        if self._held_by_address() > CONNECTIONS_PER_ADDRESS:
            self._refuse(_TOO_MANY)
            return
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, counting what belongs to an unfinished head."""
        if self.transport.is_closing():
            return
        self._message_ended = False
        super().data_received(data)
        if self._handed_over or self.transport.is_closing():
            return
        # A read that also ends an earlier message is not counted: most of it is not the head's.
        if self._in_head and not self._message_ended:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._refuse(_HEAD_TOO_LARGE)
                return
        if self._is_idle() and self.timeout_keep_alive_task is None and self._head_timer is None:
            self._start_head_timer()

    def on_message_begin(self) -> None:
        """Begin to count a head."""
        self._in_head = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Refuse a head that is too large or whose target is no path; else go on."""
        self._in_head = False
        self._stop_head_timer()
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        # Raising ends the parser; `data_received` then answers through `send_400_response`.
        if size > HEAD_BYTES or len(self.headers) > HEAD_FIELDS:
            self._fault = _HEAD_TOO_LARGE
            raise ValueError("the head is too large")
        if not self.url.startswith(b"/"):
            raise ValueError("the target is not in origin form")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that what follows belongs to another message."""
        self._message_ended = True
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over, when the handshake is one that websockets can read."""
        self._handed_over = True
        sound = self.scope["method"] == "GET" and self.scope["http_version"] == "1.1"
        fields = all(len(name) + len(value) < _UPGRADE_FIELD_BYTES for name, value in self.headers)
        if not (sound and fields and len(self.url) < _UPGRADE_FIELD_BYTES):
            self._refuse(_MALFORMED)
            return
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser could not read with a problem."""
        del msg
        self._refuse(self._fault)

    def _held_by_address(self) -> int:
        address = self.client[0] if self.client else ""
        # WebSocket connections stand in the same set and have the same field.
        clients = [getattr(each, "client", None) for each in self.connections]
        return sum(1 for client in clients if client and client[0] == address)

    def _is_idle(self) -> bool:
        # There is no cycle before the first request, which uvicorn's annotation leaves out.
        return not self.cycle or self.cycle.response_complete

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._on_head_late)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _on_head_late(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, fault: tuple[int, str, str]) -> None:
        self._stop_head_timer()
        status, code, detail = fault
        body = problem_body(status, code, detail)
        headers = with_security_headers([
            (b"content-type", PROBLEM_TYPE.encode("ascii")),
            (b"content-length", str(len(body)).encode("ascii")),
            (b"connection", b"close"),
        ])
        lines = [STATUS_LINE[status], *(b"%s: %s\r\n" % pair for pair in headers)]
        self.transport.write(b"".join([*lines, b"\r\n", body]))
        self.transport.close()


class RefusableWebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket whose handshake may be refused with an answer, and that can always be closed."""

    _is_broken = False

    def handle_parser_exception(self) -> None:
        """End what cannot be read; to the app the peer is gone from here on."""
        self._is_broken = True
        super().handle_parser_exception()

    def send_receive_event_to_app(self) -> None:
        """Hand a message on; text that is no UTF-8 ends the connection (1007).

        uvicorn does so too, but logs it as an error of the server, with a traceback.
        """
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.frames = []
            self.conn.send_close(1007)
            self.handle_parser_exception()
            return
        super().send_receive_event_to_app()

    async def send(self, message: ASGISendEvent) -> None:
        """Send on; a refusal that went out ends the handshake.

        uvicorn leaves it open and then logs every refusal as an error of the app.
        """
        if message["type"] == "websocket.close" and not self.writable.is_set():
            # A peer that reads nothing would never take the close frame, and uvicorn waits for it
            # without limit: the frame goes behind what waits, then the connection is cut.
            self.loop.call_later(ABORT_SECONDS, self.transport.abort)
            self.writable.set()
        try:
            await self._send_unless_broken(message)
        except ClientDisconnected:
            if message["type"] != "websocket.close":
                raise
            # Whoever closes cannot know that the peer was quicker: that is no error.
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True

    async def _send_unless_broken(self, message: ASGISendEvent) -> None:
        # uvicorn would call it a mistake of the app to send after a close it has not seen.
        if self._is_broken:
            raise ClientDisconnected
        await super().send(message)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
