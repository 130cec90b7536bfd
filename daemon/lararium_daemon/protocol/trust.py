"""Whether the person trusts a workspace's folder, and what that means for what lies in it."""

from typing import Literal

from lararium_daemon.protocol.api import Input, Output

TrustState = Literal["undecided", "trusted", "untrusted"]
"""`undecided` counts as untrusted: nothing of the folder is started or obeyed."""
TrustEffect = Literal["read", "run"]
"""`read` = its text is told to the model or obeyed as a setting; `run` = a program is started."""


class TrustItem(Output):
    """One thing in the folder that trust would let in."""

    effect: TrustEffect
    kind: str
    """What it is: `instructions`, `git`, …; stable."""
    path: str
    """The file, relative to the workspace."""
    detail: str
    """What would happen, for the person; a command whole, as it would run."""


class TrustInput(Input):
    """The person's decision on the folder."""

    trusted: bool


class Trust(Output):
    """The state, and what the folder holds for it."""

    state: TrustState
    decided_at: str | None
    items: list[TrustItem]
    problem: str
    """Why the decision of before could not be read, "" normally; it then counts as undecided."""


class LoadedInstructions(Output):
    """A file whose text the model is told."""

    path: str
    """Relative to the workspace, or absolute for one of the person's own."""
    origin: Literal["person", "project"]
    imported_by: str
    """The file that imports it, "" for one of the chain itself."""
    characters: int
    truncated: bool


class InstructionsView(Output):
    """The instructions that the next run is told."""

    files: list[LoadedInstructions]
    """In the order in which they are told; later ones are nearer."""
    notices: list[str]
    """What was left out, and why."""
    text: str
    """Exactly what the model is told."""
