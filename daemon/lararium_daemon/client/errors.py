"""What went wrong between a client and a daemon."""

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.exit_codes import exit_code_of


class ClientError(LarariumError):
    """An error of a client, or the problem a daemon answered with.

    `status` is the daemon's answer, or what a server that was asked to act as client says.
    """

    def __init__(
        self, code: str, detail: str, exit_code: int | None = None, *, status: int = 502
    ) -> None:
        super().__init__(code, detail, status)
        self.exit_code = exit_code_of(code) if exit_code is None else exit_code
