"""GitHub and Copilot in one real server on loopback: device login, token exchange, models.

    with FakeCopilot() as copilot:
        ...  # copilot.github_url is the base_url of a profile

Its models answer as `llm_server.py` says, to tokens that were exchanged here and still hold.
"""

from collections.abc import MutableMapping
from typing import Any, cast
from urllib.parse import parse_qs

from tests.fakes.llm_app import LlmApp, Receive, Send, answer
from tests.fakes.llm_scenario import Json, Scenario
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import json_reply

LOGIN = "gho_login_of_the_person_9fQa"
EDITOR_HEADERS = ("editor-version", "editor-plugin-version", "copilot-integration-id")


class CopilotApp(LlmApp):
    """The ASGI application; what it says of logins is set by `FakeCopilot`."""

    def __init__(self, scenario: Scenario, models: tuple[str, ...], base_url: str) -> None:
        super().__init__(scenario, models, "")
        self.base_url = base_url
        self.forget()

    def forget(self) -> None:
        """Be as new, as far as logins and tokens go."""
        self.device: Json = {"interval": 5, "expires_in": 900}
        self.grants: list[Json] = []
        """The answers to come; when none is left, the login."""
        self.logins = {LOGIN}
        self.exchange: tuple[int, Json] | None = None
        """What an exchange is answered with instead."""
        self.exchanged = 0
        self.polled = 0
        self.valid: set[str] = set()
        self.refresh_in = 1500
        self.asked: list[tuple[str, dict[str, str], Json]] = []
        """Path, headers and fields of what was asked of GitHub."""

    def reset(self) -> None:
        """Be as new."""
        super().reset()
        self.forget()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        if path.startswith(("/login/", "/copilot_internal/")):
            body = (await receive()).get("body", b"").decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            self.asked.append((path, headers, fields))
            await answer(send, self._github(path, headers, fields))
        elif headers.get("authorization", "").removeprefix("Bearer ") not in self.valid:
            await answer(send, json_reply({"error": {"message": "token expired"}}, status=401))
        elif any(name not in headers for name in EDITOR_HEADERS):
            words = {"error": {"message": "missing Editor-Version header for IDE auth"}}
            await answer(send, json_reply(words, status=400))
        elif path == "/models":
            self.model_requests += 1
            await answer(send, json_reply({"data": [_model(name) for name in self.models]}))
        else:
            await super().__call__({**scope, "path": f"/v1{path}"}, receive, send)

    def _github(self, path: str, headers: dict[str, str], fields: Json) -> Any:
        if path == "/login/device/code":
            fixed = {"device_code": "device-1234567890", "user_code": "LAR-4711"}
            where = {"verification_uri": f"{self.base_url}/login/device"}
            return json_reply({**fixed, **where, **self.device})
        if path == "/login/oauth/access_token":
            return json_reply(self._grant(fields))
        return self._token(headers)

    def _grant(self, fields: Json) -> Json:
        self.polled += 1
        if fields.get("device_code") != "device-1234567890":
            return {"error": "incorrect_device_code"}
        if self.grants:
            return self.grants.pop(0)
        return {"access_token": LOGIN, "token_type": "bearer", "scope": "read:user"}

    def _token(self, headers: dict[str, str]) -> Any:
        if self.exchange is not None:
            status, words = self.exchange
            return json_reply(words, status=status)
        if headers.get("authorization", "").removeprefix("token ") not in self.logins:
            return json_reply({"message": "Bad credentials"}, status=401)
        self.exchanged += 1
        token = f"tid=fake;exp={self.exchanged};sku=test"
        self.valid = {token}
        return json_reply({
            "token": token,
            "expires_at": 4_000_000_000,
            "refresh_in": self.refresh_in,
            "endpoints": {"api": self.base_url},
        })


def _model(name: str) -> Json:
    limits = {"max_context_window_tokens": 64_000, "max_output_tokens": 4096}
    supports = {"vision": name == "fake-model", "tool_calls": True}
    return {"id": name, "capabilities": {"type": "chat", "limits": limits, "supports": supports}}


class FakeCopilot(FakeLlm):
    """The server in a thread of this process, a context manager."""

    def make_app(self, scenario: Scenario, models: tuple[str, ...], api_key: str) -> CopilotApp:
        """Make what answers."""
        return CopilotApp(scenario, models, self.github_url)

    @property
    def github(self) -> CopilotApp:
        """What answers; its fields say how a login goes."""
        return cast("CopilotApp", self.app)

    @property
    def github_url(self) -> str:
        """The address of the GitHub."""
        return self.base_url.removesuffix("/v1")

    @property
    def environment(self) -> dict[str, str]:
        """A variable with the login."""
        return {"COPILOT_LOGIN": LOGIN}
