"""A project's own words for the system prompt: when they are read, and how much of them."""

import os
from pathlib import Path

import pytest

from lararium_daemon.extensions.instructions.project_prompt import (
    FILE,
    MAX_BYTES,
    project_prompt,
    would_run,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    (folder / FILE).parent.mkdir(parents=True)
    return folder


def test_the_words_of_a_trusted_folder_are_told_and_listed(root: Path) -> None:
    (root / FILE).write_bytes("\ufeffUse tabs.\r\nAlways.\n".encode())

    loaded = project_prompt(root, is_trusted=True)

    assert loaded.text.endswith(":\nUse tabs.\nAlways.")
    assert [(file.path, file.origin, file.truncated) for file in loaded.files] == [
        (FILE, "project", False)
    ]
    assert [(item.effect, item.kind, item.path) for item in would_run(root)] == [
        ("read", "prompt", FILE)
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_of_a_folder_that_is_not_trusted_nothing_is_opened(root: Path) -> None:
    os.mkfifo(root / FILE)  # whoever looked would say that it is no regular file

    assert project_prompt(root, is_trusted=False).notices == ()
    assert "no regular file" in project_prompt(root, is_trusted=True).notices[0]


def test_a_folder_without_such_words_adds_none(root: Path) -> None:
    assert project_prompt(root, is_trusted=True).text == ""
    (root / FILE).write_text(" \n", "utf-8")
    assert project_prompt(root, is_trusted=True).text == ""
    assert would_run(root) == []


def test_what_is_too_long_is_cut_and_said(root: Path) -> None:
    (root / FILE).write_text("ä" * MAX_BYTES, "utf-8")

    loaded = project_prompt(root, is_trusted=True)

    assert len(loaded.text.encode()) < MAX_BYTES + 500
    assert "longer than 16 KiB" in loaded.text
    assert "cut" in loaded.notices[0]
    assert loaded.files[0].truncated


def test_a_link_may_not_lead_out_of_the_folder(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Evil.", "utf-8")
    (root / FILE).symlink_to(outside)

    loaded = project_prompt(root, is_trusted=True)

    assert loaded.text == ""
    assert "outside" in loaded.notices[0]
