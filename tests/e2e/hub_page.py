"""The hub's page in a real browser, with the projects it frames."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, ConsoleMessage, Error, FrameLocator, Locator, Page, expect
from tests.e2e.workspace import SECONDS, WATCH
from tests.fakes.running_hub import RunningHub

REFUSED = "Failed to load resource: the server responded with a status of 4"
"""What Chromium itself writes of an answer that the page takes for a refusal."""


@dataclass
class HubPage:
    """What a person does in the app, in their words."""

    page: Page
    problems: list[str] = field(default_factory=list[str])
    """Policy violations in any of the pages, and errors of their code."""

    @property
    def project(self) -> FrameLocator:
        """The page of the project in front."""
        return self.page.locator("iframe:not([inert])").content_frame

    @property
    def rail(self) -> Locator:
        """The projects."""
        return self.page.get_by_role("navigation", name="Projects")

    def press(self, *keys: str) -> None:
        """Press keys one after another, wherever the keyboard is."""
        for key in keys:
            self.page.keyboard.press(key)

    def open_folder(self, path: str) -> None:
        """Type a path into the field that asks for one."""
        self.page.get_by_label("Path of the folder").fill(path)
        self.press("Enter")

    def send(self, text: str) -> None:
        """Type a message to the agent of the project in front."""
        box = self.project.locator("[data-composer]")
        box.fill(text)
        box.press("Enter")


@contextmanager
def hub_page(
    browser: Browser, hub: RunningHub, *, scheme: str = "dark", width: int = 1440
) -> Generator[HubPage]:
    """Open the page with a fresh ticket; fail when any page had a problem of its own."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    context.set_default_timeout(SECONDS * 1000)
    expect.set_options(timeout=SECONDS * 1000)
    context.add_init_script(WATCH)
    page = context.new_page()
    opened = HubPage(page)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(REFUSED):
            opened.problems.append(message.text)

    def on_error(error: Error) -> None:
        opened.problems.append(str(error))

    page.on("console", on_console)
    page.on("pageerror", on_error)
    page.goto(hub.link.page_url())
    try:
        yield opened
        assert opened.problems == []
    finally:
        context.close()
