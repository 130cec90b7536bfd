"""An HTTP client towards one server: its way (proxy or straight), what it trusts, its bounds.

It follows no redirect, reads nothing of the environment by itself, and an error's body up to
64 KiB. Making one loads the trust store and blocks: do it in a worker thread.
"""

import re
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lararium_daemon.providers import failures
from lararium_daemon.providers.network import proxy_for

if TYPE_CHECKING:
    import httpx2

MAX_ERROR_BODY_BYTES = 64 * 1024
_LOGIN = re.compile(r"//[^/\s]*@")
"""What an address says of a login."""


def make_client(
    base_url: str,
    environment: Mapping[str, str],
    *,
    connect_seconds: float,
    read_seconds: float,
) -> "httpx2.AsyncClient":
    """Make a client for the server at `base_url`; its owner closes it.

    Raises:
        ProviderError: `provider_not_configured`, the proxy or the certificates cannot be used.
    """
    import httpx2

    from lararium_daemon.providers.bounded_transport import BoundedTransport

    is_tls = base_url.startswith("https:")
    try:
        transport = httpx2.AsyncHTTPTransport(
            verify=_trust(environment) if is_tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            proxy=proxy_for(base_url, environment),
            trust_env=False,
        )
    except ImportError:
        raise failures.not_configured(
            "Proxy: the proxy of the environment or the desktop is a SOCKS proxy, which is not "
            'spoken here. Set `proxy` in the settings to an http:// address, or to "off". '
            f"{failures.KEPT}"
        ) from None
    except ValueError as error:
        raise failures.not_configured(
            "Proxy: the proxy of the environment, the desktop or the settings cannot be used "
            f"({_LOGIN.sub('//•••@', str(error))}). Set `proxy` in the settings to an http:// "
            f"address. {failures.KEPT}"
        ) from None
    return httpx2.AsyncClient(
        transport=BoundedTransport(transport, MAX_ERROR_BODY_BYTES),
        timeout=httpx2.Timeout(read_seconds, connect=connect_seconds, pool=connect_seconds),
        follow_redirects=False,
        trust_env=False,
    )


def _trust(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Trust what the operating system trusts, and what the person added by `SSL_CERT_FILE`."""
    import truststore

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    extra = environment.get("SSL_CERT_FILE", "")
    if extra:
        try:
            context.load_verify_locations(cafile=extra)
        except OSError as error:  # ssl.SSLError is one
            raise failures.not_configured(
                f"TLS: the certificates in SSL_CERT_FILE ({extra}) cannot be read ({error}). "
                f"Correct it and restart. {failures.KEPT}"
            ) from None
    return context
