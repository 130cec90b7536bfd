"""The environment: read here once, handed down as a mapping, scrubbed for what a tool starts.

A command of the agent sees the person's environment without secrets (by name, and by value where
another variable repeats one) and with nothing that would wait for a person: no pager, no editor,
no prompt of git or ssh.
"""

import os
import re
from collections.abc import Mapping
from types import MappingProxyType

CALL_MARK = "LARARIUM_CALL"
"""Carries a tool call's id to every process that the call starts."""
OWNER_MARK = "LARARIUM_OWNER"
"""Carries `WorkspacePaths.owner_mark` to every process that a daemon starts."""

SAFE_START = "LARARIUM_SAFE_START"
"""`1`: a daemon that uses nothing of what the project brings, for this one start."""

_SECRET_NAME = re.compile(
    r"""
    (^|_) (
        (API|ACCESS|SECRET|PRIVATE|ADMIN|AUTH|MASTER|SIGNING|ENCRYPTION|SERVICE|ACCOUNT)_?KEY (_ID)?
      | API_?KEYS
      | [A-Z0-9]* TOKEN
      | [A-Z0-9]* SECRETS?
      | [A-Z0-9]* (PASSWORD | PASSWD | PASSPHRASE)
    ) (_\w+)? $
    | ^ (OPENAI|ANTHROPIC|AZURE|GEMINI|GOOGLE|MISTRAL|GROQ|OPENROUTER|DEEPSEEK|XAI|COHERE)
      _ (\w+_)? KEY $
    | ^ (MYSQL_PWD | DOCKER_AUTH_CONFIG) $
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAMES_A_PLACE = re.compile(r"_(FILE|PATH|DIR|URL|URI|TYPE|TTL|LIMIT|LENGTH|SOCK)$", re.IGNORECASE)
"""`DB_PASSWORD_FILE` says where the secret is, not what it is."""

_OF_A_SERVICE = frozenset({"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS"})
"""Between a service manager and the guardian: a tool must not speak for it."""
_OURS_KEPT = frozenset({"LARARIUM_HOME", OWNER_MARK})
_SHORTEST_REPEATED_SECRET = 12
"""A shorter secret is not looked for in other values: `test` would take half the environment."""

_NON_INTERACTIVE = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "TERM": "dumb",
}
"""An editor that fails at once is honest: one that succeeds would claim an edit nobody made."""


def read_environment() -> Mapping[str, str]:
    """Return a read-only copy of this process's environment."""
    return MappingProxyType(dict(os.environ))


def replace_environment(environment: Mapping[str, str]) -> None:
    """Make this process's environment another one: for a forked process, before anything runs.

    What is the same already is left alone: to write it anew would cost the process memory that it
    shares with its parent.
    """
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def child_environment(environment: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Return what a tool or an MCP server may see; `extra` is added last and wins."""
    secrets = {name: value for name, value in environment.items() if is_secret_name(name)}
    repeated = [value for value in secrets.values() if len(value) >= _SHORTEST_REPEATED_SECRET]
    kept = {
        name: value
        for name, value in environment.items()
        if name not in secrets
        and name not in _OF_A_SERVICE
        and (not name.startswith("LARARIUM_") or name in _OURS_KEPT)
        and not any(secret in value for secret in repeated)
    }
    return kept | _NON_INTERACTIVE | dict(extra)


def daemon_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a daemon starts with: all of it, save the marks of a call that started it."""
    return {n: value for n, value in environment.items() if n not in {CALL_MARK, OWNER_MARK}}


def is_secret_name(name: str) -> bool:
    """Tell whether a variable of this name usually holds a secret itself."""
    return bool(_SECRET_NAME.search(name)) and not _NAMES_A_PLACE.search(name)
