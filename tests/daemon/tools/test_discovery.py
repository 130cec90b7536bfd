"""Finding tools."""

import sys
from pathlib import Path

import pytest

import lararium_daemon.tools as package
from lararium_daemon.tools.discovery import PARTS, discover


def test_a_tool_that_fails_to_import_is_reported_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_tool.py").write_text("raise RuntimeError('no')\n", "utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])

    assert discover() == {"broken_tool": "RuntimeError: no"}
    assert "lararium_daemon.tools.bash" in sys.modules


def test_every_part_is_a_module_and_every_other_module_registers_a_tool() -> None:
    folder = Path(next(iter(package.__path__)))
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}

    assert modules >= PARTS
    for name in modules - PARTS:
        assert "register(" in (folder / f"{name}.py").read_text("utf-8"), name
