"""What the window offers to the hub, whatever the engine below it.

The hub's words are `NativeRequest` and `NativeReply` of the protocol. They are read here by the
standard library: to load the models would delay the window by a tenth of its start.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lararium_desktop.window.navigation import parse_origins

Answer = Callable[[str | None, str], None]
"""Called once with a result, or with "" and a sentence about what failed; from any thread."""


class NativeServices(Protocol):
    """One window with one engine. Every method returns at once, from any thread."""

    def load(self, url: str) -> None:
        """Show the hub's page at that address; its origin becomes the only top origin."""
        ...

    def allow_origins(self, origins: frozenset[str]) -> None:
        """Let frames show the pages of these daemons and of no other."""
        ...

    def pick_folder(self, title: str, answer: Answer) -> None:
        """Open the native dialog; the answer is the folder, or None when it was cancelled."""
        ...

    def open_external(self, url: str, answer: Answer) -> None:
        """Hand a web or mail address to the system."""
        ...

    def show(self) -> None:
        """Bring the window to the front."""
        ...

    def reload(self) -> None:
        """Load the page anew."""
        ...

    def close(self) -> None:
        """Close the window, which ends the process."""
        ...


@dataclass(frozen=True)
class Request:
    """What the hub asks for."""

    id: int
    method: str
    params: Mapping[str, str]

    @classmethod
    def parse(cls, message: str | bytes) -> "Request":
        """Read a message of the native channel. Raises ValueError."""
        try:
            content: Any = json.loads(message)
            params = {str(name): str(value) for name, value in content["params"].items()}
            return cls(int(content["id"]), str(content["method"]), params)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("not a request") from error


def serve_request(services: NativeServices, request: Request, reply: Callable[[str], None]) -> None:
    """Do what the hub asks; exactly one reply follows, now or when the person has answered.

    Raises:
        ValueError: the window cannot do such a thing.
    """

    def answer(result: str | None, error: str = "") -> None:
        reply(json.dumps({"id": request.id, "result": result, "error": error}))

    match request.method:
        case "pick_folder":
            services.pick_folder(request.params.get("title", ""), answer)
            return
        case "open_external":
            services.open_external(request.params.get("url", ""), answer)
            return
        case "allow_origins":
            services.allow_origins(parse_origins(request.params.get("origins", "")))
        case "show":
            services.show()
            answer(str(os.getpid()))
            return
        case "reload":
            services.reload()
        case "close":
            # Answered first: the connection goes with the window.
            answer(None)
            services.close()
            return
        case unknown:
            raise ValueError(f"{unknown} is nothing that this window does")
    answer(None)
