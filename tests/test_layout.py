"""The tree keeps the shape that the rest relies on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MADE = {"static", "node_modules", "__pycache__", "dist", "shots", "coverage"}
"""Folders that tools write: nobody reads them as source."""

SOURCES = {".py", ".ts", ".tsx", ".css", ".js", ".mjs", ".sql", ".md", ".sh", ".html", ".toml"}
MAX_LINES = 500
OF_ONE_MACHINE = re.compile(
    r"/work/(main|shared|\.)|\.\./shared/|/home/[a-z]+/src|/Users/[a-z]+/src"
)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in MADE and not _is_hidden(path):
            yield from _files(path)
        elif path.is_file() and path.suffix in SOURCES:
            yield path


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".") and path.name != ".ci"


def _shown(paths: Iterator[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize(
    ("folder", "package"), [("daemon", "lararium_daemon"), ("desktop", "lararium_desktop")]
)
def test_a_source_root_holds_nothing_but_its_package_and_a_readme(
    folder: str, package: str
) -> None:
    """Whatever else lies there can be imported by its bare name from anywhere."""
    found = {path.name for path in (ROOT / folder).iterdir() if path.name not in MADE}
    assert found == {package, "README.md"}


def test_no_top_folder_is_a_package() -> None:
    """A `packaging` of ours would hide the one that tools import, a `tests` theirs."""
    tops = [path for path in ROOT.iterdir() if path.is_dir() and not _is_hidden(path)]
    assert _shown(path / "__init__.py" for path in tops if (path / "__init__.py").exists()) == []
    assert _shown((ROOT / "tests").rglob("__init__.py")) == []


def test_no_file_is_longer_than_one_reads_at_a_sitting() -> None:
    def is_too_long(path: Path) -> bool:
        lines = path.read_text(encoding="utf-8").count("\n")
        return lines > MAX_LINES and "generated" not in path.parts

    assert _shown(path for path in _files(ROOT) if is_too_long(path)) == []


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    def names_a_machine(path: Path) -> bool:
        found = OF_ONE_MACHINE.search(path.read_text(encoding="utf-8"))
        return found is not None and path != Path(__file__)

    assert _shown(path for path in _files(ROOT) if names_a_machine(path)) == []


def test_the_lock_file_names_no_address_to_load_from() -> None:
    lock = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock


def test_the_guide_for_contributors_fits_on_a_page() -> None:
    assert (ROOT / "AGENTS.md").read_text(encoding="utf-8").count("\n") <= 60
