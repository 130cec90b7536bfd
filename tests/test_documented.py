"""The guide names every setting and route there is, and none that is not."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from pydantic import BaseModel

from lararium_daemon.api.application import create_api
from lararium_daemon.api.deps import Services
from lararium_daemon.api.openapi import document
from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.settings import Settings

DOCS = Path(__file__).parents[1] / "docs"
LINK = re.compile(r"\]\(([^)#:]+)?(?:#([^)]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _keys(kind, f"{prefix}{name}.")
        elif not field.exclude:
            yield prefix + name


def _documented_keys() -> set[str]:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    table = text[text.index("## Keys") : text.index("## Folders")]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {key for cell in first_cells for key in re.findall(r"`([^`]+)`", cell)}


def test_every_setting_is_in_the_guide_and_no_other() -> None:
    assert _documented_keys() == set(_keys(Settings))


def test_every_route_is_in_the_guide_and_no_other() -> None:
    services = SimpleNamespace(guid="guid", port=lambda: 1, credentials=Credentials("token"))
    described = document(create_api(cast("Services", services)))["paths"]
    routes = {(method.upper(), path) for path, methods in described.items() for method in methods}
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| ([A-Z]+) `([^`]+)`", text, re.MULTILINE)) == routes


def test_the_reference_of_the_api_is_of_the_present_api() -> None:
    script = [sys.executable, str(DOCS / "reference.py"), "--check"]
    done = subprocess.run(script, check=False, timeout=60)
    assert done.returncode == 0, "stale: run `python3 dev.py docs`"


def test_every_link_of_the_guide_leads_somewhere() -> None:
    root = DOCS.parent
    pages = [*root.glob("*.md"), *DOCS.glob("*.md"), *root.glob("*/README.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in _links(page)
        if not target.startswith("docs/pictures/") and not _exists(page, target)
    ]
    assert broken == []


def _links(page: Path) -> Iterator[str]:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        path, anchor = match[1] or "", match[2]
        if path or anchor:
            yield f"{path}#{anchor}" if anchor else path


def _exists(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    there = page.parent / path if path else page
    return there.exists() and (not anchor or anchor in _anchors(there))


def _anchors(page: Path) -> set[str]:
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text in headings}
