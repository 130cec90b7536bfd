"""The pictures of an exported session: a folder beside its file, each named by what is in it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.atomic import write_private
from lararium_daemon.terminal.pictures import Picture, read_picture, send_picture

Json = dict[str, Any]


class SavedPictures:
    """The pictures that belong to a session's file."""

    def __init__(self, file: Path) -> None:
        self.folder = file.with_suffix(".images")
        self.ids: dict[str, str] = {}
        """What each is called, by its id; as far as the messages were seen."""

    def noting(self, messages: Iterable[Json]) -> Iterator[Json]:
        """Give the messages as they are, and note their pictures."""
        for message in messages:
            for part in message["parts"]:
                if part["type"] == "image":
                    self.ids[str(part["attachment_id"])] = str(part["name"])
            yield message

    def save(self, client: DaemonClient, session_id: str) -> int:
        """Write the pictures that the session has; give how many.

        Raises:
            LarariumError: `file_unusable`; the session's file is whole all the same.
        """
        saved = 0
        for each in self.ids:
            path = f"/api/sessions/{quote(session_id, safe='')}/attachments/{quote(each, safe='')}"
            try:
                data = client.read_octets(path)
            except LarariumError as error:
                if error.code != "unknown_attachment":
                    raise
                continue
            try:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                write_private(self.folder / each, data)
            except OSError as error:
                why = error.strerror or str(error)
                detail = f"The pictures cannot be written to {self.folder}: {why}."
                raise LarariumError("file_unusable", detail) from error
            saved += 1
        return saved

    def send(self, client: DaemonClient, session_id: str) -> int:
        """Put the pictures that lie beside the file into a session; give how many."""
        sent = 0
        for each, name in self.ids.items():
            if not (each.isalnum() and each.isascii()):  # another's file: its ids may be paths
                continue
            try:
                picture = read_picture(self.folder / each)
                sent += send_picture(client, session_id, Picture(name, picture.data)) == each
            except LarariumError:
                continue
        return sent

    def said(self, done: int) -> str:
        """Say what became of them, for the end of a sentence."""
        missing = len(self.ids) - done
        lost = f" ({missing} could not be had)" if missing else ""
        return f", with {done} pictures in {self.folder}{lost}" if self.ids else ""
