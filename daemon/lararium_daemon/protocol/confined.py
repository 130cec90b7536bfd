"""When *Allow once* may be offered without showing what it allows: one pure rule for all places.

A notification and a tray menu hold no command and no diff, so what they allow must be harmless by
its kind. Everything else offers *Review…* and *Deny* there.
"""

from dataclasses import dataclass
from typing import Literal

Button = Literal["allow_once", "review", "deny"]


@dataclass(slots=True, frozen=True)
class AskFacts:
    """What is known of a request."""

    permission: str
    """The permission's name, e.g. `Edit`."""
    is_parsed: bool
    """Every part of it was understood."""
    is_risky: bool
    """It holds a dangerous word, or characters that do not show."""
    is_inside: bool
    """It touches the project alone."""
    is_protected: bool
    """It touches what always asks: settings that programs obey, secrets."""
    in_sandbox: bool = False
    """The operating system keeps it inside the project and off the network."""


def may_allow_once(facts: AskFacts) -> bool:
    """Say whether the request may be allowed by somebody who does not see it."""
    if not facts.is_parsed or facts.is_risky or facts.is_protected or not facts.is_inside:
        return False
    if facts.permission == "Edit":
        return True
    return facts.permission == "Bash" and facts.in_sandbox


def buttons(*, allow_once: bool, is_remote: bool = False) -> tuple[Button, ...]:
    """Give the buttons of a request outside the app, the first one leading.

    On a remote workspace nothing is answered without being seen.
    """
    if is_remote:
        return ("review",)
    return ("allow_once", "deny") if allow_once else ("review", "deny")
