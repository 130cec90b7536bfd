"""The messages that wait in sessions: changed, taken out, or turned into what a run is asked."""

from lararium_daemon.protocol.api import MessageInput
from lararium_daemon.protocol.events import MessageRemoved
from lararium_daemon.protocol.ids import MessageId, RunId, SessionId
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.intake import edit_events
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session


class MessageQueue:
    """The journal holds the messages; this holds what their senders allowed beside the text.

    What was allowed is forgotten with the daemon: a message that waited through a restart is
    run with a person to ask and nothing allowed.
    """

    def __init__(self, library: SessionLibrary) -> None:
        self._library = library
        self._asked: dict[MessageId, MessageInput] = {}

    def remember(self, message_id: MessageId, given: MessageInput) -> None:
        """Keep what a message that waits was sent with."""
        self._asked[message_id] = given

    def request(self, run_id: RunId, message_id: MessageId) -> RunRequest:
        """Give what a run is asked for a message whose turn has come, and forget it here."""
        given = self._asked.pop(message_id, None)
        return RunRequest(run_id, message_id) if given is None else asked(run_id, message_id, given)

    async def edit(self, session_id: SessionId, message_id: MessageId, text: str) -> Message:
        """Give a message that waits another text; it keeps its place.

        Raises:
            LarariumError: `unknown_session`, 404 `unknown_message`, 409 `already_taken`,
                `storage_full` and its kin.
        """
        session = await self._library.get(session_id)
        async with session.posting:
            message = session.fold.transcript.queued.get(message_id)
            if message is None:
                raise _not_queued(session, message_id)
            if events := edit_events(message, text):
                await session.commit(events)
            return message

    async def remove(self, session_id: SessionId, message_id: MessageId | None = None) -> None:
        """Take a message out of the queue; all of them when None.

        Raises:
            LarariumError: `unknown_session`, 404 `unknown_message`, 409 `already_taken`,
                `storage_full` and its kin.
        """
        session = await self._library.get(session_id)
        async with session.posting:
            queued = session.fold.transcript.queued
            if message_id is not None and message_id not in queued:
                raise _not_queued(session, message_id)
            wanted = list(queued) if message_id is None else [message_id]
            await session.commit([MessageRemoved(each) for each in wanted])
            for each in wanted:
                self._asked.pop(each, None)


def asked(run_id: RunId, message_id: MessageId, given: MessageInput) -> RunRequest:
    """Give what a run is asked for a message as it was sent."""
    return RunRequest(run_id, message_id, given.headless, list(given.allow), given.max_turns)


def _not_queued(session: Session, message_id: MessageId) -> LarariumError:
    if session.fold.transcript.message(message_id) is None:
        return LarariumError("unknown_message", "There is no such message in this session.", 404)
    return LarariumError("already_taken", "A run has taken this message already.", 409)
