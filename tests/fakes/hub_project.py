"""A project of a running hub, with its real daemon up, as a program sees it."""

import uuid
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.running_hub import RunningHub

from lararium_daemon.client.find import find_daemon
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths


@dataclass
class Project:
    """A registered project with its daemon up."""

    workspace: str
    folder: Path
    daemon: DaemonClient

    def start(self, prompt: str, title: str = "Limit by key") -> str:
        session: str = self.daemon.request("POST", "/api/sessions", {"title": title})["id"]
        self.say(session, prompt)
        return session

    def say(self, session: str, prompt: str) -> None:
        message = {"client_message_id": uuid.uuid4().hex, "text": prompt}
        self.daemon.request("POST", f"/api/sessions/{session}/messages", message)


def open_project(hub: RunningHub, folder: Path) -> Project:
    folder.mkdir(parents=True, exist_ok=True)
    workspace: str = hub.link.request("POST", "/workspaces", {"path": str(folder)})["id"]
    hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    handle = find_daemon(resolve_paths(read_environment()).workspace(folder))
    assert handle is not None
    return Project(workspace, folder, handle.client())
