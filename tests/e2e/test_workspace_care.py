"""What the page does for the careful and the lost: trust, search, grants, very long answers."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.workspace import workspace_page
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import RealDaemon

pytestmark = pytest.mark.e2e


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "atlas"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs, always.\n", encoding="utf-8")
    return folder


def test_a_folder_is_trusted_on_the_page_and_its_instructions_count_then(
    browser: Browser, daemon: RealDaemon, llm: FakeLlm
) -> None:
    with workspace_page(browser, daemon) as page:
        page.page.get_by_role("button", name="Trust this folder").click()
        expect(page.page.get_by_text("Do you trust this folder?")).to_have_count(0)
        page.send("go [[fake text='As you wish.']]")
        page.answers("As you wish.")
    assert "Use tabs, always." in str(llm.requests[-1].body["messages"])


def test_a_message_is_found_by_its_words_and_brought_into_sight(
    browser: Browser, daemon: RealDaemon
) -> None:
    with workspace_page(browser, daemon) as page:
        page.send("first [[fake text='The limiter is a token bucket.']]")
        page.answers("The limiter is a token bucket.")
        page.send("second [[fake tokens=2000]]")
        page.ends("Finished")
        page.page.keyboard.press("Control+f")
        page.page.keyboard.type("limiter bucket")
        hit = page.page.locator("[data-hit]").filter(has_text="The limiter is a").first
        expect(hit).to_be_visible()
        hit.click()
        found = page.page.locator("[data-found]")
        expect(found).to_be_in_viewport()
        expect(found).to_contain_text("The limiter is a token bucket.")


def test_a_very_long_answer_leaves_the_page_quick_and_as_wide_as_it_was(
    browser: Browser, daemon: RealDaemon, llm: FakeLlm
) -> None:
    llm.set(text=" ".join(["x" * 600_000] * 2))
    with workspace_page(browser, daemon) as page:
        page.send("go")
        page.ends("Finished")
        expect(page.page.get_by_role("button", name="characters more")).to_be_visible()
        wide = page.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
