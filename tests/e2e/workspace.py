"""A workspace's page in a real browser, and what its own policy had to refuse."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, expect
from tests.fakes.real_daemon import RealDaemon

from lararium_daemon.client.http import DaemonClient

SECONDS = 20.0
WATCH = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`violation of ${event.violatedDirective}: ${event.blockedURI}`));
"""


@dataclass
class WorkspacePage:
    """What a person does on the page, in their words."""

    page: Page
    problems: list[str] = field(default_factory=list[str])
    """Policy violations, errors of the page's own code and what it wrote as an error."""

    def send(self, text: str) -> None:
        """Type a message and press Enter."""
        box = self.page.locator("[data-composer]")
        box.fill(text)
        box.press("Enter")

    def card(self, name: str) -> Locator:
        """Give the card that awaits the person."""
        return self.page.get_by_role("region", name=name)

    def answer(self, card: str, button: str) -> None:
        """Press a button of a card and see the card go."""
        found = self.card(card)
        found.get_by_role("button", name=button).click()
        expect(found).to_have_count(0)

    def shows(self, text: str) -> None:
        """Wait until the transcript shows exactly this text somewhere."""
        feed = self.page.get_by_role("feed")
        expect(feed.get_by_text(text, exact=True).last).to_be_visible()

    def answers(self, text: str) -> None:
        """Wait until the model has answered with exactly this; a prompt that holds it is none."""
        answer = self.page.get_by_role("article", name="Answer")
        expect(answer.get_by_text(text, exact=True).last).to_be_visible()

    def ends(self, word: str) -> None:
        """Wait until the last run has ended so, as its footer says."""
        expect(self.page.get_by_role("feed").locator("footer").last).to_contain_text(word)

    def scroll_to_end(self) -> None:
        """Follow the answer."""
        self.page.get_by_role("feed").press("End")


@contextmanager
def workspace_page(
    browser: Browser,
    daemon: RealDaemon,
    *,
    scheme: str = "dark",
    width: int = 1280,
    height: int = 800,
) -> Generator[WorkspacePage]:
    """Open the page with a fresh ticket; fail when the page had any problem of its own."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    context.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    page = context.new_page()
    opened = WorkspacePage(page)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            opened.problems.append(message.text)

    def on_error(error: Error) -> None:
        opened.problems.append(str(error))

    page.on("console", on_console)
    page.on("pageerror", on_error)
    page.add_init_script(WATCH)
    page.goto(page_address(daemon))
    expect(page.locator("[data-composer]")).to_be_visible()
    try:
        yield opened
        assert opened.problems == []
    finally:
        context.close()


def page_address(daemon: RealDaemon) -> str:
    """Give the page's address with a one-time ticket in its fragment."""
    client = DaemonClient(daemon.base_url, daemon.token)
    ticket = client.request("POST", "/api/auth/tickets", {"purpose": "ui"})["ticket"]
    return f"{daemon.base_url}/#t={ticket}"


def edit(path: Path, old: str, new: str) -> str:
    """Give the words that make the scripted model edit a file."""
    arguments = json.dumps({"path": path.name, "old_string": old, "new_string": new})
    return f"rounds=1 tool=edit_file args='{arguments}'"
