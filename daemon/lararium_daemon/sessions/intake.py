"""What the manager says of a message when it comes, comes again or is taken back."""

from lararium_daemon.protocol.api import MessageAccepted, MessageInput
from lararium_daemon.protocol.events import Event, PartAppended, SessionUpdated
from lararium_daemon.protocol.messages import ImagePart, Message, TextPart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.session import Session

TITLE_CHARS = 80
MAX_QUEUED = 100
_RESUMABLE = ("interrupted", "error", "budget")


def present_state(session: Session, given: MessageInput) -> MessageAccepted:
    """Give what became of a message that came before under the same client id.

    Raises:
        LarariumError: 409 `message_removed`, 409 `message_id_reused`.
    """
    message_id, seq = session.fold.clients[given.client_message_id]
    message = session.fold.transcript.message(message_id)
    if message is None:
        detail = "This message was taken out of the queue; it will not run. Send it as a new one."
        raise LarariumError("message_removed", detail, 409)
    text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
    images = [part.attachment_id for part in message.parts if isinstance(part, ImagePart)]
    if text != given.text or images != list(dict.fromkeys(given.attachments)):
        detail = (
            "Another message was sent with this id before. Send this one with an id of its own."
        )
        raise LarariumError("message_id_reused", detail, 409)
    return MessageAccepted(
        message_id=message_id, run_id=message.run_id, seq=seq, queued=message.run_id is None
    )


def title_events(session: Session, text: str) -> list[Event]:
    """Name a session that has no title after the first line of its first message."""
    state = session.state
    line = text.strip().partition("\n")[0].strip()
    title = line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
    if state.title or not line:
        return []
    return [SessionUpdated(title, state.mode, state.model, state.archived, state.pinned)]


def edit_events(message: Message, text: str) -> list[Event]:
    """Give the events that make `text` the message's; none when it is already."""
    parts = [part for part in message.parts if isinstance(part, TextPart)]
    if not parts or "".join(part.text for part in parts) == text:
        return []
    return [PartAppended(message.message_id, TextPart(parts[0].part_id, text), offset=0)]


def check_compaction(*, is_idle: bool, has_place: bool) -> None:
    """Refuse to summarise while the session runs, or when too many do.

    Raises:
        LarariumError: 409 `run_goes_on`, 409 `too_many_runs`.
    """
    if not is_idle:
        detail = "A run goes on here. Nothing was changed; try again when it has ended."
        raise LarariumError("run_goes_on", detail, 409)
    if not has_place:
        detail = "As many sessions run as may run at once. Try again when one has ended."
        raise LarariumError("too_many_runs", detail, 409)


def check_room(session: Session) -> None:
    """Refuse a message when too many wait.

    Raises:
        LarariumError: 429 `queue_full`.
    """
    if len(session.fold.transcript.queued) >= MAX_QUEUED:
        detail = f"{MAX_QUEUED} messages wait in this session already. Take some out, or wait."
        raise LarariumError("queue_full", detail, 429)


def stopping() -> LarariumError:
    """Say why no message is taken any more."""
    detail = "The daemon of this project is stopping. Nothing was kept; open the project and send "
    return LarariumError("daemon_stopping", f"{detail}the message again.", 503)


def cut_message(session: Session, *, is_idle: bool, has_place: bool) -> Message:
    """Give the message whose run was cut or failed, for a run that goes on with it.

    Raises:
        LarariumError: 409 `nothing_to_resume`, 409 `too_many_runs`.
    """
    run = session.state.run
    message = session.fold.transcript.message(run.message_id) if run is not None else None
    if not is_idle or run is None or message is None or run.outcome not in _RESUMABLE:
        detail = "There is no run here that was cut. Send a message to go on."
        raise LarariumError("nothing_to_resume", detail, 409)
    if not has_place:
        detail = "As many sessions run as may run at once. Go on with this one when one has ended."
        raise LarariumError("too_many_runs", detail, 409)
    return message
