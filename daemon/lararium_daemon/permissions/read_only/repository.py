"""Whether reading with git in a folder may run something that the folder brought along.

`git status` alone runs what `core.fsmonitor` or a filter in `.git/config` names, and the hook
`post-index-change`; it enters submodules and obeys their configuration too. So the repository is
looked at first, by reading files, never by starting git. In a folder that the person trusts its
configuration is theirs; a bare repository in the middle of the project is nobody's.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from lararium_daemon.protocol.trust import TrustItem

MAX_ITEMS = 100
_MAX_CONFIG_BYTES = 64 * 1024
_MAX_INDEX_BYTES = 32 * 1024 * 1024
_GITLINK = b"\0\0\xe0\x00"
"""The mode of a submodule in an index entry."""
_SECTION = re.compile(r"\[\s*([\w.-]+)(?:\s+\"((?:[^\"\\]|\\.)*)\")?\s*\]\s*(.*)")
_KEY = re.compile(r"([A-Za-z][\w-]*)\s*(?:=[^\\]*)?")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ANY = frozenset({"*"})
_HARMLESS: dict[str, frozenset[str]] = {
    "core": _names(
        "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode "
        "symlinks autocrlf eol safecrlf longpaths quotepath abbrev compression whitespace "
        "untrackedcache preloadindex commentchar protectntfs protecthfs"
    ),
    "remote": _names("url fetch pushurl tagopt prune gh-resolved"),
    "branch": _ANY,
    "user": _names("name email signingkey"),
    "init": _names("defaultbranch"),
    "push": _names("default autosetupremote followtags"),
    "pull": _names("rebase ff"),
    "fetch": _names("prune prunetags"),
    "rebase": _names("autostash autosquash"),
    "commit": _names("gpgsign"),
    "tag": _names("gpgsign sort"),
    "color": _ANY,
    "advice": _ANY,
    "gc": _names("auto autodetach"),
    "gui": _ANY,
    "index": _names("version threads"),
    "lfs": _names("repositoryformatversion access locksverify url"),
    "submodule": _names("url active"),
    "extensions": _names("objectformat refstorage"),
}
"""Keys by section, in small letters, that run nothing and read nothing else."""


def why_repository_asks(folder: Path, root: Path, *, is_trusted: bool) -> str:
    """Say why git in `folder` needs the person, "" when it does not; both are real paths."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.exists() or git.is_symlink():
            return "" if is_trusted else _why_not_inert(git)
        if (place == root or place.is_relative_to(root)) and _is_bare(place):
            return f"{place} looks like a repository of its own and could bring its configuration"
    return ""


def would_run(root: Path) -> list[TrustItem]:
    """Give what git would obey in a folder that is trusted; starts nothing."""
    git = root / ".git"
    path = git / "config"
    items: list[TrustItem] = []
    try:
        text = _read(path, _MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        text = ""
    for key, line in _unknown_settings(text):
        name = key.rpartition(".")[0]
        detail = f"Git obeys this whenever the agent uses it: [{name}] {line}"
        items.append(TrustItem(effect="run", kind="git", path=".git/config", detail=detail))
    hooks = git / "hooks"
    try:
        names = sorted(path.name for path in hooks.iterdir() if path.suffix != ".sample")
    except OSError:
        names = []
    for name in names:
        detail = f"Git runs the hook {name} when the agent does what it waits for."
        items.append(TrustItem(effect="run", kind="git", path=f".git/hooks/{name}", detail=detail))
    return items[:MAX_ITEMS]


def has_repository(folder: Path) -> bool:
    """Tell whether git would find a repository from this folder."""
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def _read(path: Path, limit: int) -> bytes:
    """Read a regular file; a pipe in its place would be waited for without end.

    Raises:
        OSError: it is no regular file or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no regular file")
    with os.fdopen(handle, "rb") as file:
        return file.read(limit)


def _is_bare(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def _why_not_inert(git: Path) -> str:
    if git.is_symlink() or not git.is_dir():
        return "its .git leads to another folder, whose settings could run programs"
    try:
        return _why_config(git / "config") or _why_index(git)
    except OSError as error:
        return f"its .git cannot be read ({error.strerror})"


def _why_config(path: Path) -> str:
    if not path.exists():
        return ""
    content = _read(path, _MAX_CONFIG_BYTES + 1)
    if len(content) > _MAX_CONFIG_BYTES:
        return "its .git/config is too long to look through"
    for key, _ in _unknown_settings(content.decode("latin-1")):
        return f"its .git/config sets {key}, which could run a program"
    return ""


def _unknown_settings(text: str) -> Iterator[tuple[str, str]]:
    """Give the settings that are not known to be harmless, as `section.key` and as written."""
    section = ""
    for raw in text.splitlines():
        line = raw.strip()
        if match := _SECTION.match(line):
            section, line = match[1].lower(), match[3]
        if not line or line[0] in "#;":
            continue
        match = _KEY.fullmatch(line)
        key = match[1].lower() if match else ""
        harmless = _HARMLESS.get(section, frozenset[str]())
        if not key or (key not in harmless and harmless is not _ANY):
            yield f"{section or '?'}.{key or line[:40]}", line


def _why_index(git: Path) -> str:
    hook = git / "hooks" / "post-index-change"
    if hook.exists() or hook.is_symlink():
        return "its hook post-index-change would run"
    if any(git.glob("sharedindex.*")):
        return "its index is kept in parts that are not looked through"
    index = git / "index"
    if not index.exists():
        return ""
    if index.stat().st_size > _MAX_INDEX_BYTES:
        return "its index is too large to look through"
    if _GITLINK in _read(index, _MAX_INDEX_BYTES):
        return "it has submodules, whose settings could run programs"
    return ""
