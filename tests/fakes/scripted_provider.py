"""A model whose answers are written down before: the only double of the loop's tests."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

import anyio

from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    ModelRequest,
    ProviderError,
    TextDelta,
)


@dataclass(frozen=True)
class Pause:
    """A model that says nothing for so many seconds."""

    seconds: float


Step = ModelEvent | ProviderError | Pause


def says(text: str) -> list[Step]:
    """An answer of text alone."""
    return [TextDelta(text), Finished("stop", 10, 5)]


def calls(*wanted: tuple[str, dict[str, object]]) -> list[Step]:
    """An answer of tool calls alone."""
    return [*(CallRequested(name, args, "") for name, args in wanted), Finished("tool_calls")]


@dataclass
class ScriptedProvider:
    """Gives `answers` one after the other and keeps what it was asked."""

    answers: Sequence[Sequence[Step]]
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Give the next answer."""
        answer = self.answers[len(self.requests)]
        self.requests.append(request)
        for step in answer:
            if isinstance(step, ProviderError):
                raise step
            if isinstance(step, Pause):
                await anyio.sleep(step.seconds)
            else:
                yield step
