"""The built-in tour as a provider: scripted, offline, and labelled so wherever it is shown.

It needs no key and no network, keeps no state, and decides by the messages it is given.
"""

import re
from collections.abc import AsyncGenerator

import anyio
import orjson

from lararium_daemon.protocol.api import ModelInfo, ModelList
from lararium_daemon.providers.http_provider import Sleep
from lararium_daemon.providers.profiles import Profile
from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    ModelRequest,
    TextDelta,
)
from lararium_daemon.providers.tour_script import next_step
from lararium_daemon.providers.tour_story import read_story

WORD_SECONDS = 0.02
"""Slow enough to see that an answer streams."""
_WORD = re.compile(r"\S+\s*|\s+")


class TourProvider:
    """A `Provider` that plays the tour.

    Args:
        is_sample: the workspace is the sample project.
        sleep: waits between words.
    """

    def __init__(self, *, is_sample: bool, sleep: Sleep = anyio.sleep) -> None:
        self._is_sample = is_sample
        self._sleep = sleep

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Say the next step, word by word, and call its tool."""
        offered = {tool.name for tool in request.tools}
        step = next_step(read_story(request.messages), offered, is_sample=self._is_sample)
        for word in _WORD.findall(step.text):
            yield TextDelta(word)
            await self._sleep(WORD_SECONDS)
        if step.tool:
            raw = orjson.dumps(step.arguments).decode()
            yield CallRequested(step.tool, step.arguments, raw)
        yield Finished("tool_calls" if step.tool else "stop")


def tour_models(profile: Profile) -> ModelList:
    """List the one script there is."""
    return ModelList(
        items=[ModelInfo(name=profile.model)], default=profile.model, profile=profile.name
    )
