"""The pictures of a request, just before it is sent: read, or told by a line of text.

A session may go on with a model that takes no pictures, and a fallback may be one: what it cannot
be shown is named to it, so that the messages around it still make sense.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from anyio import to_thread

from lararium_daemon.providers.provider import (
    ModelEvent,
    ModelImage,
    ModelMessage,
    ModelRequest,
    Provider,
    ProviderError,
)

REQUEST_BYTES = 40 * 1024 * 1024
"""The most that the pictures of one request have together; the newest are shown."""
_REFUSED = (400, 415, 422)
ADVICE = (
    "Pictures went along with it: this model may not take them, or not these. Choose another "
    "model, or send the message again without them."
)

ReadImage = Callable[[str], bytes | None]
"""Gives the bytes of a picture by its id; None when they are not there. Blocks."""


class ImageProvider:
    """A provider whose requests' pictures are filled in.

    `takes` says whether its model takes pictures (None = nobody knows, so they are sent).
    """

    def __init__(
        self, provider: Provider, takes: Callable[[], Awaitable[bool | None]], read: ReadImage
    ) -> None:
        self._provider = provider
        self._takes = takes
        self._read = read

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model."""
        if any(message.images for message in request.messages):
            read = None if await self._takes() is False else self._read
            told = await to_thread.run_sync(_shown, request.messages, read)
            request = replace(request, messages=told)
        has_images = any(message.images for message in request.messages)
        try:
            async with aclosing(self._provider.stream(request)) as events:
                async for event in events:
                    yield event
        except ProviderError as error:
            if has_images and error.code == "provider_bad_request" and error.status in _REFUSED:
                detail = f"{error.detail} {ADVICE}"
                raise ProviderError(error.code, detail, status=error.status) from error
            raise


def without_images(message: ModelMessage, why: str = "") -> ModelMessage:
    """Give a message with its pictures named in its text."""
    lines = [_named(image, why) for image in message.images]
    return replace(message, text="\n".join([message.text, *lines]), images=()) if lines else message


def _shown(messages: Sequence[ModelMessage], read: ReadImage | None) -> list[ModelMessage]:
    if read is None:
        return [without_images(message, "is not shown to this model") for message in messages]
    room, told = REQUEST_BYTES, list[ModelMessage]()
    for message in reversed(messages):
        images: list[ModelImage] = []
        lines: list[str] = []
        for image in message.images:
            data = read(image.attachment_id) if room > 0 else b""
            room -= len(data or b"")
            if data is None:
                lines.append(_named(image, "is not there any more"))
            elif not data or room < 0:
                lines.append(_named(image, "is not shown any more, since newer ones take the room"))
            else:
                images.append(replace(image, data=data))
        text = "\n".join([message.text, *lines])
        told.append(replace(message, text=text, images=tuple(images)))
    return told[::-1]


def _named(image: ModelImage, why: str) -> str:
    return f"[{f'image {image.name} {why}'.rstrip()}]"
