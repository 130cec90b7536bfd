"""Every route and WebSocket of daemon and hub, with the scope that it asks for.

A route that is not here fails `tests/contract/test_route_scopes.py`: whoever adds one says whom it
serves. "open" = without a credential; "any" = every credential, whatever its scopes.
"""

from typing import Literal

from lararium_daemon.protocol.api import Scope

Needed = Scope | Literal["open", "any"]
Route = tuple[str, str]
"""Method, or WS, and path."""

SHARED: dict[Route, Needed] = {
    ("GET", "/api/health"): "open",
    ("POST", "/api/auth/prove"): "open",
    ("POST", "/api/auth/exchange"): "open",
    ("POST", "/api/auth/tickets"): "read",
    ("GET", "/api/status"): "read",
    ("WS", "/api/events"): "read",
}

DAEMON: dict[Route, Needed] = {
    **SHARED,
    ("GET", "/api/sessions/{session_id}/export"): "read",
    ("POST", "/api/sessions/import"): "prompt",
    ("POST", "/api/sessions/{session_id}/import"): "prompt",
    ("GET", "/api/search"): "read",
    ("POST", "/api/sessions/rebuild"): "admin",
    ("GET", "/api/sessions"): "read",
    ("POST", "/api/sessions"): "prompt",
    ("GET", "/api/sessions/{session_id}"): "read",
    ("PATCH", "/api/sessions/{session_id}"): "prompt",
    ("DELETE", "/api/sessions/{session_id}"): "prompt",
    ("GET", "/api/sessions/{session_id}/messages"): "read",
    ("POST", "/api/sessions/{session_id}/messages"): "prompt",
    ("PUT", "/api/sessions/{session_id}/attachments/{name}"): "prompt",
    ("GET", "/api/sessions/{session_id}/attachments/{attachment_id}"): "read",
    ("POST", "/api/sessions/{session_id}/steer"): "prompt",
    ("POST", "/api/sessions/{session_id}/compaction/undo"): "prompt",
    ("POST", "/api/sessions/{session_id}/interrupt"): "prompt",
    ("POST", "/api/sessions/{session_id}/resume"): "prompt",
    ("GET", "/api/sessions/{session_id}/queue"): "read",
    ("DELETE", "/api/sessions/{session_id}/queue"): "prompt",
    ("DELETE", "/api/sessions/{session_id}/queue/{message_id}"): "prompt",
    ("PATCH", "/api/sessions/{session_id}/queue/{message_id}"): "prompt",
    ("POST", "/api/sessions/{session_id}/compact"): "prompt",
    ("GET", "/api/sessions/{session_id}/events"): "read",
    ("GET", "/api/sessions/{session_id}/calls/{call_id}/output"): "read",
    ("GET", "/api/permissions/requests"): "read",
    ("POST", "/api/permissions/requests/{request_id}/decision"): "approve",
    ("GET", "/api/permissions/grants"): "read",
    ("DELETE", "/api/permissions/grants/{grant_id}"): "prompt",
    ("GET", "/api/permissions/rules"): "read",
    ("PUT", "/api/permissions/rules"): "admin",
    ("POST", "/api/permissions/explain"): "read",
    ("POST", "/api/permissions/rehearse"): "read",
    ("GET", "/api/questions"): "read",
    ("POST", "/api/questions/{question_id}/answer"): "approve",
    ("GET", "/api/attention"): "read",
    ("GET", "/api/models"): "read",
    ("GET", "/api/models/discovered"): "read",
    ("PUT", "/api/models/default"): "admin",
    ("GET", "/api/profiles"): "admin",
    ("POST", "/api/profiles"): "admin",
    ("POST", "/api/profiles/check"): "admin",
    ("PATCH", "/api/profiles/{name}"): "admin",
    ("DELETE", "/api/profiles/{name}"): "admin",
    ("POST", "/api/logins"): "admin",
    ("GET", "/api/logins/{login_id}"): "admin",
    ("DELETE", "/api/logins/{login_id}"): "admin",
    ("GET", "/api/trust"): "read",
    ("POST", "/api/trust"): "admin",
    ("GET", "/api/instructions"): "read",
    ("GET", "/api/tools"): "read",
    ("POST", "/api/drain"): "admin",
    ("PUT", "/api/auth/hub-origin"): "admin",
    ("GET", "/api/openapi.json"): "read",
}

HUB: dict[Route, Needed] = {
    **SHARED,
    ("GET", "/api/openapi.json"): "any",
    ("HEAD", "/api/openapi.json"): "any",
    ("POST", "/api/quit"): "admin",
    ("POST", "/api/page-link"): "admin",
    ("GET", "/api/workspaces"): "read",
    ("POST", "/api/workspaces"): "admin",
    ("PATCH", "/api/workspaces/{workspace}"): "admin",
    ("DELETE", "/api/workspaces/{workspace}"): "admin",
    ("POST", "/api/workspaces/{workspace}/open"): "admin",
    ("POST", "/api/workspaces/{workspace}/restart"): "admin",
    ("POST", "/api/workspaces/{workspace}/safe-start"): "admin",
    ("POST", "/api/workspaces/{workspace}/stop"): "admin",
    ("POST", "/api/workspaces/{workspace}/seen"): "admin",
    ("GET", "/api/inbox"): "read",
    ("GET", "/api/inbox/{item_id}"): "read",
    ("POST", "/api/inbox/{item_id}/answer"): "approve",
    ("PUT", "/api/shown"): "prompt",
    ("POST", "/api/native/pick-folder"): "admin",
    ("POST", "/api/native/open-external"): "admin",
    ("POST", "/api/native/reveal"): "admin",
    ("POST", "/api/native/show"): "admin",
    ("POST", "/api/native/page-ended"): "native",
    ("WS", "/api/native/channel"): "native",
    ("GET", "/api/settings"): "read",
    ("PATCH", "/api/settings"): "admin",
    ("POST", "/api/tour"): "admin",
    ("DELETE", "/api/tour/{workspace}"): "admin",
}
