"""Which paths of a project may be shown outside the app: those that lie in its folder, really."""

from pathlib import Path

from lararium_daemon.protocol.errors import LarariumError


def path_inside(folder: str, path: str) -> Path:
    """Give the full real path of what lies in a project's folder; "" is the folder. Blocks.

    Raises:
        LarariumError: `no_such_path` when nothing is there, `outside_workspace` when it, or what
            a link there leads to, lies elsewhere.
    """
    try:
        root = Path(folder).resolve(strict=True)
        real = (root / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # the last: links in a circle
        raise LarariumError(
            "no_such_path",
            f"There is no {path or folder} in this project: it was moved or deleted, or its disk "
            "is not there.",
            404,
        ) from None
    if not real.is_relative_to(root):
        raise LarariumError(
            "outside_workspace", f"{path} lies outside this project, and is not shown.", 422
        )
    return real
