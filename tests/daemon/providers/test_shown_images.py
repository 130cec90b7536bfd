"""What a model cannot be shown is named to it, and the rest goes along."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from tests.fakes.pictures import PNG

from lararium_daemon.agent.compaction import shortened
from lararium_daemon.providers import shown_images
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    ModelImage,
    ModelMessage,
    ModelRequest,
    ProviderError,
)
from lararium_daemon.providers.shown_images import ADVICE, ImageProvider

pytestmark = pytest.mark.anyio
ASKED = ModelMessage("user", "look", images=(ModelImage("one", "image/png", "a.png"),))


@dataclass
class Server:
    """Keeps what it is asked, and may refuse it."""

    failure: ProviderError | None = None
    asked: list[ModelRequest] = field(default_factory=list[ModelRequest])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure
        yield Finished("stop")


async def told(server: Server, *messages: ModelMessage, takes: bool | None = None) -> None:
    async def takes_images() -> bool | None:
        return takes

    provider = ImageProvider(server, takes_images, {"one": PNG, "two": PNG}.get)
    async for _ in provider.stream(ModelRequest("m", list(messages))):
        pass


@pytest.mark.parametrize("takes", [True, None])
async def test_pictures_are_filled_in_when_the_model_may_take_them(takes: bool | None) -> None:
    server = Server()
    await told(server, ModelMessage("system", "p"), ASKED, takes=takes)
    sent = server.asked[0].messages[1]
    assert (sent.text, [image.data for image in sent.images]) == ("look", [PNG])
    assert server.asked[0].messages[0] == ModelMessage("system", "p")


async def test_a_model_without_pictures_is_told_their_names() -> None:
    server = Server()
    await told(server, ASKED, takes=False)
    text = "look\n[image a.png is not shown to this model]"
    assert server.asked[0].messages == [ModelMessage("user", text)]


async def test_a_picture_that_is_gone_is_named() -> None:
    server = Server()
    await told(server, ModelMessage("user", "look", images=(ModelImage("x", "image/png", "b"),)))
    assert server.asked[0].messages[0].text == "look\n[image b is not there any more]"


async def test_the_newest_are_shown_where_all_are_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_images, "REQUEST_BYTES", len(PNG))
    newer = ModelMessage("user", "and", images=(ModelImage("two", "image/png", "b.png"),))
    server = Server()
    await told(server, ASKED, newer)
    first, second = server.asked[0].messages
    assert first.images == ()
    assert first.text.startswith("look\n[image a.png is not shown any more")
    assert [image.name for image in second.images] == ["b.png"]


@pytest.mark.parametrize(
    ("code", "status", "advised"),
    [
        ("provider_bad_request", 400, True),
        ("provider_bad_request", 404, False),
        ("provider_auth", 401, False),
    ],
)
async def test_a_refusal_of_pictures_is_told_as_one(code: str, status: int, advised: bool) -> None:
    server = Server(ProviderError(code, "It said no.", status=status))
    with pytest.raises(ProviderError) as refused:
        await told(server, ASKED)
    assert (ADVICE in refused.value.detail, refused.value.status) == (advised, status)
    with pytest.raises(ProviderError) as plain:
        await told(server, ModelMessage("user", "no picture"))
    assert plain.value.detail == "It said no."


def test_the_writer_of_a_summary_is_told_the_names_alone() -> None:
    assert shortened(ASKED) == ModelMessage("user", "look\n[image a.png]")
