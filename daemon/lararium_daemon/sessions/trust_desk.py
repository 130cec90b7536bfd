"""What trust in the workspace's folder decides: its state, what it lets in, instructions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lararium_daemon.extensions.instructions.chain import Loaded, instructions
from lararium_daemon.extensions.instructions.project_prompt import project_prompt
from lararium_daemon.permissions.trust import TrustStore
from lararium_daemon.protocol.trust import InstructionsView, Trust, TrustItem

WouldRun = Callable[[Path], list[TrustItem]]
"""Gives what a part would start or obey in a folder; executes nothing, never raises."""


@dataclass(slots=True, frozen=True)
class TrustDesk:
    """The trust of one workspace."""

    root: Path
    """The workspace's real path."""
    store: TrustStore
    own_folders: Sequence[Path]
    """The person's own folders with instructions, least important first."""
    would_run: Sequence[WouldRun]
    is_suspended: bool = False
    """The daemon was started safely: what the person decided holds again for the next one."""

    @property
    def is_trusted(self) -> bool:
        """Whether the folder may start and configure things."""
        return self.store.is_trusted and not self.is_suspended

    def view(self) -> Trust:
        """Give the state, and what the folder holds for it; reads files."""
        decision = self.store.decision()
        return Trust(
            state=decision.state,
            decided_at=decision.decided_at,
            items=[item for ask in self.would_run for item in ask(self.root)],
            problem=decision.problem,
        )

    def decide(self, *, trusted: bool) -> Trust:
        """Store the person's decision; it holds from the next call and the next run on.

        Raises:
            OSError: it could not be stored.
        """
        self.store.decide(trusted=trusted)
        return self.view()

    def instructions(self) -> Loaded:
        """Load what a run is told; reads files."""
        return instructions(self.root, own_folders=self.own_folders, is_trusted=self.is_trusted)

    def project_prompt(self) -> Loaded:
        """Load the project's words for the system prompt; reads files."""
        return project_prompt(self.root, is_trusted=self.is_trusted)

    def instructions_view(self) -> InstructionsView:
        """Give what the next run is told of files, the project's prompt first."""
        loaded = (self.project_prompt(), self.instructions())
        return InstructionsView(
            files=[file for each in loaded for file in each.files],
            notices=[notice for each in loaded for notice in each.notices],
            text="\n\n".join(each.text for each in loaded if each.text),
        )
