"""What a path means to the policy: inside or outside, protected, secret, or our own.

Every path is absolute with its links resolved; these functions never follow one themselves. The
lists are compared case folded on every system, because the file systems of two of them fold too
and a repository travels between all three.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import is_inside, resolve_paths
from lararium_daemon.system.secret_files import fold_name, is_secret_name

_WINDOWS = sys.platform == "win32"

_PROTECTED_FOLDERS = frozenset(
    {".git", "git~1", ".husky", ".vscode", ".idea", ".devcontainer", ".claude", ".codex"}
    | {".agents", ".cursor", ".lararium", ".circleci", ".buildkite", ".direnv"}
)
_PROTECTED_FILES = frozenset(
    {".gitmodules", ".gitattributes", ".gitconfig", ".mcp.json", "agents.md", "claude.md"}
    | {".envrc", ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml"}
    | {".pre-commit-config.yaml", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout"}
    | {".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"}
    | {".kshrc", ".cshrc", ".tcshrc", ".inputrc", ".xprofile", ".xinitrc", ".xsession"}
    | {"config.fish", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", "pip.conf"}
)
_PROTECTED_ROWS = (
    (".github", "workflows"),
    (".github", "actions"),
    (".config", "autostart"),
    (".config", "systemd"),
    (".config", "fish"),
    (".local", "bin"),
    ("library", "launchagents"),
    ("library", "launchdaemons"),
    ("start menu", "programs", "startup"),
    ("spool", "cron"),
)
"""Neighbouring path components."""
_PROTECTED_IN_HOME = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "bin"})
_PROTECTED_IN_SYSTEM = frozenset({
    "etc",
    "usr",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "boot",
    "dev",
    "proc",
    "sys",
    "system",
})

_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", "keychains", "keyrings"})
_SECRET_ROWS = (
    (".docker", "config.json"),
    (".config", "gh"),
    (".config", "gcloud"),
    (".config", "google-chrome"),
    (".config", "chromium"),
    (".mozilla", "firefox"),
    ("application support", "google"),
    ("application support", "firefox"),
)


@dataclass(slots=True, frozen=True)
class Places:
    """The folders that matter beside the workspace; all real paths."""

    home: Path
    own: tuple[Path, ...]
    """Our configuration, data, state and cache: no tool touches them."""


def current_places() -> Places:
    """Give the places of this process's user."""
    environment = read_environment()
    names = ("HOME", "USERPROFILE", "LARARIUM_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    names += ("XDG_STATE_HOME", "XDG_CACHE_HOME")
    return _find_places(tuple((name, environment.get(name, "")) for name in names))


@lru_cache(maxsize=16)
def _find_places(variables: tuple[tuple[str, str], ...]) -> Places:
    """Give the places that these variables lead to; a verdict must not wait for them each time."""
    environment = dict(variables)
    paths = resolve_paths(environment)
    home = Path(environment["HOME"] or Path.home())
    own = (paths.config, paths.data, paths.state, paths.cache)
    return Places(home.resolve(), tuple(path.resolve() for path in own))


def is_within(path: Path, folder: Path) -> bool:
    """Tell whether `path` is `folder` or lies below it."""
    return is_inside(str(path), str(folder), windows=_WINDOWS)


def is_own(path: Path, places: Places) -> bool:
    """Tell whether a path lies in our own folders, in any upper and lower case."""
    folded = Path(str(path).casefold())
    return any(is_within(folded, Path(str(folder).casefold())) for folder in places.own)


def why_protected(path: Path, root: Path, places: Places) -> str:
    """Say why writing there always asks, "" when it does not."""
    parts = _folded(path, root)
    if hit := _PROTECTED_FOLDERS.intersection(parts):
        return f"{min(hit)} holds settings that programs obey"
    if parts and (parts[-1] in _PROTECTED_FILES):
        return f"{path.name} holds settings or instructions that programs obey"
    for row in _PROTECTED_ROWS:
        if _has_row(parts, row):
            return f"{'/'.join(row)} is run automatically"
    if is_within(path, root):
        return ""
    if is_within(path, places.home):
        top = fold_name(path.relative_to(places.home).parts[0]) if path != places.home else ""
        return f"~/{top} holds keys or programs" if top in _PROTECTED_IN_HOME else ""
    top = fold_name(path.parts[1]) if len(path.parts) > 1 else ""
    return f"/{top} belongs to the system" if top in _PROTECTED_IN_SYSTEM else ""


def why_secret(path: Path, root: Path) -> str:
    """Say why reading it always asks, "" when it does not."""
    parts = _folded(path, root)
    if parts and is_secret_name(parts[-1]):
        return f"{path.name} usually holds secrets"
    if hit := _SECRET_FOLDERS.intersection(parts):
        return f"{min(hit)} usually holds secrets"
    if any(_has_row(parts, row) for row in _SECRET_ROWS):
        return "it usually holds secrets"
    if path.parts[1:2] == ("proc",) and path.name in {"environ", "mem", "cmdline", "maps"}:
        return "it shows the memory or environment of a process"
    return ""


def _folded(path: Path, root: Path) -> list[str]:
    """Give the folded components that the lists are compared with: below the root, or all."""
    parts = path.parts[len(root.parts) :] if is_within(path, root) else path.parts[1:]
    return [fold_name(part) for part in parts]


def _has_row(parts: list[str], row: tuple[str, ...]) -> bool:
    width = len(row)
    return any(tuple(parts[i : i + width]) == row for i in range(len(parts) - width + 1))
