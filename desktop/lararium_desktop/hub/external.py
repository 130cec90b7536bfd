"""Which addresses may leave the app: web and mail, whole and visible, nothing else."""

from urllib.parse import urlsplit

from lararium_daemon.protocol.errors import LarariumError


def check_external(url: str) -> str:
    """Give the address back when the system may be asked to open it.

    Raises:
        LarariumError: `not_openable` for every other scheme, an address without a host, one with
            credentials, and one with characters that a person cannot see.
    """
    if not url.isprintable() or any(char.isspace() or char == "\\" for char in url):
        raise _refusal()
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _refusal() from None
    if parts.scheme == "mailto":
        return url
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise _refusal()
    return url


def _refusal() -> LarariumError:
    return LarariumError(
        "not_openable", "Only whole web and mail addresses are opened outside Lararium.", 422
    )
