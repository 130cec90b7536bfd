"""Finds the proxy of the desktop where the environment names none, and what the person set.

Asked anew for each connection that is made, in a worker thread and within a bound: a desktop that
does not answer means a straight connection, as without one.
"""

import logging
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import unquote, urlsplit

from anyio import to_thread

from lararium_daemon.providers.address import is_loopback_url
from lararium_daemon.providers.system_proxy import (
    SystemProxy,
    of_gsettings,
    of_kioslaverc,
    of_python,
)
from lararium_daemon.system.logging import redact

logger = logging.getLogger(__name__)

READ_SECONDS = 3.0
MAX_FILE_BYTES = 256 * 1024
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_ALL = frozenset((*_PROXIES, "no_proxy"))


async def network_environment(
    environment: Mapping[str, str], proxy: str, url: str
) -> Mapping[str, str]:
    """Give the environment with the proxy variables that hold for `url`.

    Args:
        environment: the person's; its own variables go before the desktop's.
        proxy: the setting: `system`, `off`, or a proxy's address.
        url: where the connection goes; this machine is never asked of a proxy.
    """
    if is_loopback_url(url):
        return environment
    if proxy == "system" and not _names_proxy(environment):
        read = await to_thread.run_sync(read_system, environment, url)
        if read.problem:
            logger.warning("%s. Set `proxy` in the settings, or HTTPS_PROXY.", read.problem)
        environment = _merged(environment, read.variables())
    elif proxy != "system":
        exempt = {n: v for n, v in environment.items() if n.lower() == "no_proxy"}
        rest = {n: v for n, v in environment.items() if n.lower() not in _ALL}
        given = dict.fromkeys(_PROXIES, proxy) | exempt
        environment = rest if proxy == "off" else {**rest, **given}
    _hide_passwords(environment)
    return environment


def read_system(
    environment: Mapping[str, str], url: str, platform: str = sys.platform
) -> SystemProxy:
    """Ask the desktop; blocks for 3 s at most, and never raises for what it says."""
    if platform in {"darwin", "win32"}:
        host = urlsplit(url).hostname or ""
        is_bypassed = bool(urllib.request.proxy_bypass(host))
        return of_python(urllib.request.getproxies(), is_bypassed=is_bypassed, host=host)
    desktops = environment.get("XDG_CURRENT_DESKTOP", "").upper().split(":")
    if "KDE" in desktops:
        return of_kioslaverc(_kioslaverc(environment))
    return of_gsettings(_gsettings(environment)) if any(desktops) else SystemProxy()


def _kioslaverc(environment: Mapping[str, str]) -> str:
    folder = environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '')}/.config"
    try:
        with (Path(folder) / "kioslaverc").open("rb") as file:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _gsettings(environment: Mapping[str, str]) -> str:
    program = shutil.which("gsettings", path=environment.get("PATH"))
    if program is None:
        return ""
    with TemporaryFile() as output:  # a pipe could be held open by what the program started
        try:
            subprocess.run(
                [program, "list-recursively", "org.gnome.system.proxy"],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=READ_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            logger.warning("The desktop's proxy could not be read: %s", type(error).__name__)
            return ""
        output.seek(0)
        return output.read(MAX_FILE_BYTES).decode("utf-8", "replace")


def _merged(environment: Mapping[str, str], read: Mapping[str, str]) -> Mapping[str, str]:
    """Add the desktop's proxies; the person's own exceptions hold beside its."""
    if not read:
        return environment
    own = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    return {**environment, **read, "no_proxy": f"{own},{read['no_proxy']}"}


def _names_proxy(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES)


def _hide_passwords(environment: Mapping[str, str]) -> None:
    """Keep what a proxy's address says of its login out of the log."""
    for name, value in environment.items():
        if name.lower() in _PROXIES:
            login = value.partition("://")[2].rpartition("@")[0]
            password = login.partition(":")[2]
            for secret in (login, password, unquote(password)):
                redact(secret)
