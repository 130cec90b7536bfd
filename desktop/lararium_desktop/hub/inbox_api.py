"""`/api/inbox`: what waits for the person over all projects, and `/api/shown`: what they see."""

from anyio import to_thread
from fastapi import APIRouter, Depends

from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import Accepted
from lararium_daemon.protocol.inbox import (
    InboxAnswered,
    InboxAnswerInput,
    InboxDetail,
    InboxList,
    ShownInput,
)
from lararium_desktop.hub.services import Hub

router = APIRouter(tags=["inbox"])
_READ = [Depends(require("read"))]
_APPROVE = [Depends(require("approve"))]


@router.get("/inbox", dependencies=_READ)
async def list_inbox(hub: Hub) -> InboxList:
    """What waits, oldest first, then what ended, newest first."""
    return InboxList(items=hub.inbox.items())


@router.get("/inbox/{item_id}", dependencies=_READ)
async def look_at_item(hub: Hub, item_id: str) -> InboxDetail:
    """An item with the whole command, diff or question."""
    return await hub.inbox.look(item_id)


@router.post("/inbox/{item_id}/answer", dependencies=_APPROVE)
async def answer_item(hub: Hub, item_id: str, given: InboxAnswerInput) -> InboxAnswered:
    """Answer or dismiss; the first answer of all places counts, later ones are told so."""
    return await hub.inbox.answer(item_id, given)


@router.put("/shown", dependencies=[Depends(require("prompt"))])
async def say_shown(hub: Hub, given: ShownInput) -> Accepted:
    """Take what a page shows, so that the person is not told of what they see."""
    hub.front.say(given)
    hub.notifier.look()
    if given.visible and given.workspace_id is not None:
        await to_thread.run_sync(hub.shown.note_session, given.workspace_id, given.session_id)
        if given.session_id is not None:
            await hub.inbox.see(given.workspace_id, given.session_id)
    return Accepted()
