"""What a session has read and written, told by its own results.

So an agent need not read a file again after a restart before it may change it; whether the file is
still the same is asked anew at the change, as ever.
"""

from pathlib import Path

from lararium_daemon.protocol.messages import ToolCallPart
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.tools.context import FileLedger


def ledger_of(state: SessionState) -> FileLedger:
    """Give the ledger that the session had."""
    ledger = FileLedger()
    for message in state.messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart) and part.result is not None:
                facts = part.result.metadata
                path, sha256 = facts.get("real_path"), facts.get("sha256")
                if isinstance(path, str) and isinstance(sha256, str):
                    ledger.seen[Path(path)] = sha256
    return ledger
