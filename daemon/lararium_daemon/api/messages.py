"""A session's messages: read, send, stop, and what waits in the queue."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import granted_scopes, require
from lararium_daemon.protocol.api import (
    Accepted,
    MessageAccepted,
    MessageInput,
    MessageList,
    QueuedEditInput,
    QueueList,
)
from lararium_daemon.protocol.events import CompactionUndone
from lararium_daemon.protocol.ids import MessageId, SessionId
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.problems import LarariumError

router = APIRouter(tags=["messages"])


@router.get(
    "/sessions/{session_id}/messages",
    dependencies=[Depends(require("read"))],
    response_model=MessageList,
)
async def list_messages(
    session_id: SessionId,
    services: ServicesDep,
    cursor: Annotated[str, Query(max_length=128)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """Give a page: pages go from newest to oldest, items inside one from oldest to newest."""
    before = MessageId(cursor) if cursor else None
    page = await services.library.message_page(session_id, before, limit)
    # The messages are ours and typed: validating thousands of them again would cost more than
    # everything else here.
    return Response(orjson.dumps(page), media_type="application/json")


@router.post(
    "/sessions/{session_id}/messages", status_code=202, dependencies=[Depends(require("prompt"))]
)
async def post_message(
    session_id: SessionId, given: MessageInput, services: ServicesDep, request: Request
) -> MessageAccepted:
    """Take the person's message; answered once it is committed."""
    if given.allow and "approve" not in granted_scopes(request):
        detail = "Allowing rules for a run needs the scope “approve”."
        raise LarariumError("missing_scope", detail, 403)
    session = await services.library.get(session_id)
    images = await services.images.parts(session, given)
    return await services.manager.post_message(session_id, given, images)


@router.post(
    "/sessions/{session_id}/steer", status_code=202, dependencies=[Depends(require("prompt"))]
)
async def steer_run(
    session_id: SessionId, given: MessageInput, services: ServicesDep
) -> MessageAccepted:
    """Say something to the run that goes on; the model is told after its current tools."""
    session = await services.library.get(session_id)
    images = await services.images.parts(session, given)
    return await services.manager.steer(session_id, given, images)


@router.post("/sessions/{session_id}/compact", dependencies=[Depends(require("prompt"))])
async def compact_session(session_id: SessionId, services: ServicesDep) -> Accepted:
    """Summarise the older messages for the model now; answered once it is done."""
    await services.manager.compact(session_id, services.summarise)
    return Accepted()


@router.post("/sessions/{session_id}/compaction/undo", dependencies=[Depends(require("prompt"))])
async def undo_compaction(session_id: SessionId, services: ServicesDep) -> Accepted:
    """Tell the model the messages again that were summarised last."""
    session = await services.library.get(session_id)
    state = session.state

    def can_undo() -> bool:
        return bool(state.compactions) and (state.run is None or state.run.outcome is not None)

    if not await session.commit_if(can_undo, [CompactionUndone()]):
        detail = "Nothing is summarised in this session, or a run goes on. Try again after it."
        raise LarariumError("nothing_to_undo", detail, 409)
    return Accepted()


@router.post("/sessions/{session_id}/interrupt", dependencies=[Depends(require("prompt"))])
async def interrupt_run(session_id: SessionId, services: ServicesDep) -> Accepted:
    """Stop the run, if one goes on; answered once its end is committed."""
    await services.manager.interrupt(session_id)
    return Accepted()


@router.post(
    "/sessions/{session_id}/resume", status_code=202, dependencies=[Depends(require("prompt"))]
)
async def resume_run(session_id: SessionId, services: ServicesDep) -> MessageAccepted:
    """Go on with the message whose run was cut; answered once the new run's begin is committed."""
    return await services.manager.resume(session_id)


@router.get("/sessions/{session_id}/queue", dependencies=[Depends(require("read"))])
async def list_queue(session_id: SessionId, services: ServicesDep) -> QueueList:
    """Give the messages that wait for their run."""
    session = await services.library.get(session_id)
    return QueueList(items=list(session.fold.transcript.queued.values()))


@router.patch(
    "/sessions/{session_id}/queue/{message_id}", dependencies=[Depends(require("prompt"))]
)
async def edit_queued_message(
    session_id: SessionId, message_id: MessageId, given: QueuedEditInput, services: ServicesDep
) -> Message:
    """Give a message that waits another text, unless a run has taken it; it keeps its place."""
    return await services.manager.queue.edit(session_id, message_id, given.text)


@router.delete("/sessions/{session_id}/queue", dependencies=[Depends(require("prompt"))])
async def clear_queue(session_id: SessionId, services: ServicesDep) -> Accepted:
    """Take every message out of the queue."""
    await services.manager.queue.remove(session_id)
    return Accepted()


@router.delete(
    "/sessions/{session_id}/queue/{message_id}", dependencies=[Depends(require("prompt"))]
)
async def remove_queued_message(
    session_id: SessionId, message_id: MessageId, services: ServicesDep
) -> Accepted:
    """Take a message out of the queue, unless a run has taken it."""
    await services.manager.queue.remove(session_id, message_id)
    return Accepted()
