"""A transport that never reads an endless or exploding error body.

The SDK reads the body of an error in full before it tells of it; a hostile server could answer one
that has no end, or one that unpacks to gigabytes.
"""

import zlib
from collections.abc import AsyncIterable
from typing import cast

import httpx2

GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Hands out the inner transport's answers; errors and redirects with their body's beginning."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, max_error_body_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_error_body_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        response = await self._inner.handle_async_request(request)
        if response.status_code < 300:
            return response
        body = b""
        try:
            async for piece in cast("AsyncIterable[bytes]", response.stream):
                body += piece
                if len(body) >= self._max_bytes:
                    break
        finally:
            await response.aclose()
        encoding = response.headers.get("content-encoding", "identity").lower()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
        ]
        return httpx2.Response(
            response.status_code,
            headers=headers,
            content=_unpack(body[: self._max_bytes], encoding, self._max_bytes),
            request=request,
        )

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


def _unpack(body: bytes, encoding: str, max_bytes: int) -> bytes:
    if encoding in {"identity", ""}:
        return body
    if encoding not in {"gzip", "deflate"}:
        return b""
    try:
        return zlib.decompressobj(GZIP_OR_ZLIB).decompress(body, max_bytes)
    except zlib.error:
        return b""
