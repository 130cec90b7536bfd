"""The pictures that come with a message: found among what was put, refused where no use is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from anyio import to_thread

from lararium_daemon.protocol.api import MessageInput
from lararium_daemon.protocol.ids import new_part_id
from lararium_daemon.protocol.messages import ImagePart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.attachments import Attachment, AttachmentStore

TakesImages = Callable[[str | None], Awaitable[bool | None]]
"""Says whether the model of a session that names it takes pictures; None = nobody knows."""


@dataclass(slots=True, frozen=True)
class ImageDesk:
    """Where a message's pictures are asked for."""

    store: AttachmentStore
    takes_images: TakesImages

    async def parts(self, session: Session, given: MessageInput) -> list[ImagePart]:
        """Give the pictures of a message that comes; none for one that has come before.

        Raises:
            LarariumError: 422 `unknown_attachment`, 422 `model_without_images`; nothing was sent.
        """
        if not given.attachments or given.client_message_id in session.fold.clients:
            return []
        wanted = list(dict.fromkeys(given.attachments))
        found = await to_thread.run_sync(self._find, session, wanted)
        if await self.takes_images(session.state.model) is False:
            detail = (
                "The model of this session does not take pictures. Nothing was sent: choose "
                "another model, or send the message without them."
            )
            raise LarariumError("model_without_images", detail, 422)
        return [
            ImagePart(
                new_part_id(),
                each.attachment_id,
                each.media_type,
                each.name,
                each.bytes,
                each.width,
                each.height,
            )
            for each in found
        ]

    def _find(self, session: Session, wanted: list[str]) -> list[Attachment]:
        found: list[Attachment] = []
        for each in wanted:
            attachment = self.store.find(session.id, each)
            if attachment is None:
                detail = (
                    "A picture of this message is not kept in this session. Nothing was sent; put "
                    "the picture again and then send the message."
                )
                raise LarariumError("unknown_attachment", detail, 422)
            found.append(attachment)
        return found
