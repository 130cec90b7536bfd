"""Compacts a session with the model's own summary; `compaction.py` says what and when."""

from collections.abc import Callable
from contextlib import aclosing

from lararium_daemon.agent.answer import usage_of
from lararium_daemon.agent.compaction import ASK, cut, is_due, shortened, summary_message
from lararium_daemon.agent.context import as_told, uncompacted
from lararium_daemon.agent.ports import Recorder, RunPlan
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import (
    CallPurpose,
    CompactionEnded,
    CompactionReason,
    CompactionStarted,
    Notice,
    Usage,
)
from lararium_daemon.protocol.text import whole_text
from lararium_daemon.providers.provider import (
    Finished,
    ModelMessage,
    ModelRequest,
    Provider,
    ProviderError,
    TextDelta,
)


class Compactor:
    """Keeps one run inside its model's window, whose size may be unknown (None).

    `count` is told what the model call for a summary used, which costs as any other does.
    """

    def __init__(
        self,
        plan: RunPlan,
        provider: Provider,
        recorder: Recorder,
        staging: Staging,
        prompt: str,
        window: int | None,
        count: Callable[[Usage | None, CallPurpose], None],
    ) -> None:
        self._plan = plan
        self._provider = provider
        self._recorder = recorder
        self._staging = staging
        self._prompt = prompt
        self._window = window
        self._count = count

    async def compact_when_due(self) -> None:
        """Compact when the last call nearly filled the window."""
        usage = self._recorder.state.usage
        if is_due(usage.input_tokens if usage else None, self._window):
            await self.compact("window")

    async def compact(self, reason: CompactionReason) -> bool:
        """Summarise the older messages; False when nothing can be parted or it failed."""
        found = cut(uncompacted(self._recorder.state), self._window)
        if found is None:
            return False
        self._staging.add(CompactionStarted(self._plan.run_id, reason))
        await self._staging.commit()
        before = self._recorder.state.compactions[-1:]
        told = [
            ModelMessage("system", self._prompt),
            *map(summary_message, before),
            *map(shortened, as_told(found.old)),
            ASK,
        ]
        summary = await self._summarise(told)
        until = found.old[-1].message_id if summary else None
        self._staging.add(CompactionEnded(self._plan.run_id, until, summary))
        await self._staging.commit()
        return bool(summary)

    async def _summarise(self, told: list[ModelMessage]) -> str:
        """Give the model's summary; "" when it gives none, which leaves the session as it is."""
        request = ModelRequest(self._plan.model, told)
        pieces: list[str] = []
        try:
            async with aclosing(self._provider.stream(request)) as stream:
                async for event in stream:
                    if isinstance(event, TextDelta):
                        pieces.append(event.text)
                    elif isinstance(event, Finished):
                        self._count(usage_of(event), "compaction")
        except ProviderError as error:
            text = f"The older part of the session could not be summarised. {error.detail}"
            self._staging.add(Notice("warning", "compaction_failed", text, self._plan.run_id))
            return ""
        return whole_text("".join(pieces)).strip()
