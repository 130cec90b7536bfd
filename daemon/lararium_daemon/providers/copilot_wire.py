"""Chat completions as GitHub Copilot wants to be asked: with who and what in its headers."""

from collections.abc import Mapping

from lararium_daemon.providers.chat_wire import ChatWire
from lararium_daemon.providers.provider import ModelRequest


class CopilotWire(ChatWire):
    """Asks Copilot."""

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Say whether the person or the agent asks: the person's questions alone are counted."""
        is_person = bool(request.messages) and request.messages[-1].role == "user"
        headers = {
            "X-Initiator": "user" if is_person else "agent",
            "Openai-Intent": "conversation-edits",
        }
        if any(message.images for message in request.messages):
            headers["Copilot-Vision-Request"] = "true"  # else pictures are refused
        return headers
