"""`/api/settings`: how the app looks and what it tells."""

from anyio import to_thread
from fastapi import APIRouter, Depends

from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.shell_settings import ShellSettings, ShellSettingsPatchInput
from lararium_desktop.hub.services import Hub

router = APIRouter(prefix="/settings", tags=["settings"])


@router.get("", dependencies=[Depends(require("read"))])
async def read_settings(hub: Hub) -> ShellSettings:
    """Give the settings of the app."""
    return hub.settings.current


@router.patch("", dependencies=[Depends(require("admin"))])
async def change_settings(hub: Hub, given: ShellSettingsPatchInput) -> ShellSettings:
    """Change what is given; every page follows at once."""
    settings = await to_thread.run_sync(hub.settings.change, given)
    hub.notifier.rules = hub.settings.notice_rules
    hub.feed.announce()
    return settings
