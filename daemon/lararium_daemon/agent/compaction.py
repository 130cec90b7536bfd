"""Keeping a session inside its model's window: what is summarised, and what is kept as it is.

Pure. The older messages, run by run, are told to the model as a summary that the model itself
wrote; the newest stay word for word, and so does the message the run works on. A call is never
parted from its result: both lie in one message. The messages themselves are not touched, so a
compaction can be undone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lararium_daemon.protocol.messages import (
    ImagePart,
    Message,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from lararium_daemon.protocol.state import Compaction
from lararium_daemon.providers.provider import ModelMessage
from lararium_daemon.providers.shown_images import without_images

FULL = 0.85
"""The part of the window from which on the older messages are summarised."""
KEPT = 0.25
"""The part of the window that the messages kept word for word may take."""
LEAST_KEPT = 2
CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1_500
"""What a picture is taken to fill; models count a large one as some hundreds to two thousand."""
LONGEST_RESULT = 2_000
"""Characters of a tool's result that the summary's writer is shown."""

ASK = ModelMessage(
    "user",
    "[The session has grown too long. Write down, for yourself alone, what you need to go on "
    "without it: the person's goal in their own words, every rule and wish they gave, decisions "
    "and why, files read and changed with their paths, commands that matter with their results, "
    "what is done, what is open and the next step. Be exact and complete, leave out the rest. "
    "Answer with that text alone; call no tool.]",
)


@dataclass(slots=True, frozen=True)
class Cut:
    """Where a session is parted."""

    old: Sequence[Message]
    """Told as a summary from now on."""
    kept: Sequence[Message]


def is_due(used_tokens: int | None, window: int | None) -> bool:
    """Tell whether the last call filled the window so far that the next may not fit."""
    return used_tokens is not None and window is not None and used_tokens >= FULL * window


def cut(messages: Sequence[Message], window: int | None) -> Cut | None:
    """Part messages (run by run, without those summarised before); None when all must stay.

    At most half of them are kept, since sizes are guessed and a compaction must help; with an
    unknown window the two newest.
    """
    room = KEPT * window * CHARS_PER_TOKEN if window is not None else 0
    kept = 0
    for message in reversed(messages):
        room -= _size(message)
        is_enough = room < 0 or kept >= len(messages) // 2
        if kept >= LEAST_KEPT and is_enough:
            break
        kept += 1
    place = len(messages) - kept
    return Cut(messages[:place], messages[place:]) if place > 0 else None


def summary_message(compaction: Compaction) -> ModelMessage:
    """Give what the model is told in place of the older messages."""
    return ModelMessage("user", f"[Your own notes of the session so far]\n{compaction.summary}")


def shortened(message: ModelMessage) -> ModelMessage:
    """Give a message as the summary's writer sees it.

    Long results by their head and tail, pictures by their names.
    """
    text = message.text
    if message.role != "tool" or len(text) <= LONGEST_RESULT:
        return without_images(message)
    half = LONGEST_RESULT // 2
    return ModelMessage(
        "tool", f"{text[:half]}\n[…]\n{text[-half:]}", tool_call_id=message.tool_call_id
    )


def _size(message: Message) -> int:
    total = 0
    for part in message.parts:
        match part:
            case TextPart() | ThinkingPart():
                total += len(part.text)
            case ToolCallPart():
                result = len(part.result.text) if part.result else 0
                total += len(str(part.arguments)) + result
            case ImagePart():
                total += IMAGE_TOKENS * CHARS_PER_TOKEN
    return total
