"""What waits for the person and what ended: the list, and the topic `attention`."""

from typing import Annotated

import anyio
from fastapi import APIRouter, Depends, Query

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.attention import AttentionPage
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.library import SessionLibrary

router = APIRouter(tags=["attention"])

PAGE_ITEMS = 500


@router.get("/attention", dependencies=[Depends(require("read"))])
async def list_attention(
    services: ServicesDep,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE_ITEMS)] = 100,
) -> AttentionPage:
    """Give what is new or changed after a place; resolved items too, so that all can be closed."""
    return await services.library.journal.attention(after, limit)


async def follow_attention(library: SessionLibrary, feed: Feed, after: int) -> None:
    """Keep a feed informed, until cancelled: first what it missed, then each change."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_follow_activity, library, feed)
        await _follow_items(library, feed, after)


async def _follow_items(library: SessionLibrary, feed: Feed, after: int) -> None:
    is_first = True
    while True:
        version = library.lookout.attention.version
        page = await library.journal.attention(after, PAGE_ITEMS)
        if page.items or is_first:
            feed.put_attention(page)
        if page.next_seq == after:  # all is told
            await library.lookout.attention.wait_newer(version)
        is_first, after = False, page.next_seq


async def _follow_activity(library: SessionLibrary, feed: Feed) -> None:
    while True:
        version = library.lookout.activity.version
        feed.put_activity(library.lookout.active())
        await library.lookout.activity.wait_newer(version)
