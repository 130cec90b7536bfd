"""The full output of a tool call, in pages from its spool file."""

import os
import re
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Query

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import CallOutput
from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.problems import LarariumError

router = APIRouter(tags=["calls"])

PAGE_BYTES = 64 * 1024
_UTF8_MORE = 0b1000_0000
_UTF8_MASK = 0b1100_0000
_UTF8_BYTES = 4
_UNSAFE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC: titles, links, clipboard
    r"|\x1b[PX^_].*?(?:\x1b\\|$)"  # DCS, SOS, PM, APC
    r"|\x1b\[[0-?]*[ -/]*[@-ln-~]"  # CSI other than SGR
    r"|\x1b(?!\[[0-?]*[ -/]*m)(?:.|$)"  # any other escape
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f\x80-\x9f]",
    re.DOTALL,
)


@router.get(
    "/sessions/{session_id}/calls/{call_id}/output", dependencies=[Depends(require("read"))]
)
async def read_call_output(
    session_id: SessionId,
    call_id: CallId,
    services: ServicesDep,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> CallOutput:
    """Give a page of a call's output; pages end at a line's end where there is one."""
    session = await services.library.get(session_id)
    call = session.fold.transcript.calls.get(call_id)
    if call is None:
        raise LarariumError("unknown_call", "There is no such tool call in this session.", 404)
    page, total = await to_thread.run_sync(_read, services.spool / call_id, offset)
    end = offset + len(page)
    is_last = end >= total and call.state != "running"
    return CallOutput(
        call_id=call_id,
        state=call.state,
        offset=offset,
        next_offset=None if is_last else end,
        total_bytes=total,
        text=_UNSAFE.sub("", page.decode("utf-8", "replace")),
    )


def _read(path: Path, offset: int) -> tuple[bytes, int]:
    """Give a page of whole characters, and how long the file is; nothing when there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return b"", 0
    with os.fdopen(descriptor, "rb") as file:
        total = os.fstat(descriptor).st_size
        file.seek(offset)
        page = file.read(PAGE_BYTES)
    if offset + len(page) < total:
        page = _whole(page)
    return page, total


def _whole(page: bytes) -> bytes:
    """Cut a page that more follows after its last line, or else after its last character."""
    line_end = page.rfind(b"\n") + 1
    if line_end:
        return page[:line_end]
    for back in range(1, min(_UTF8_BYTES, len(page))):
        if page[-back] & _UTF8_MASK != _UTF8_MORE:  # the first byte of a character
            return page[:-back] if page[-back] > _UTF8_MORE else page
    return page
