"""Whole journeys in the app's page: real browser, real hub, real daemons, scripted model."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.hub_page import HubPage, hub_page
from tests.fakes.hub_project import Project, open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.running_hub import RunningHub, running_hub

pytestmark = pytest.mark.e2e

TOUCH = "[[fake rounds=1 tool=shell command='touch ran' text='It is done.']]"


@pytest.fixture
def hub() -> Iterator[RunningHub]:
    with running_hub() as running:
        yield running


@pytest.fixture
def atlas(hub: RunningHub, tmp_path: Path) -> Project:
    return open_project(hub, tmp_path / "atlas")


@pytest.fixture
def model(llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> FakeLlm:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    return llm


def wait_for_card(app: HubPage, text: str) -> None:
    """Wait until the inbox shows a card whose keys count."""
    card = app.page.get_by_role("article").filter(has_text=text)
    expect(card).to_be_focused()
    expect(card.get_by_role("button", name="Allow once")).to_be_enabled()
    # A key that comes within half a second was meant for something else, and counts for nothing.
    app.page.wait_for_timeout(600)


def test_without_any_key_a_newcomer_takes_the_tour_to_its_end(
    browser: Browser, hub: RunningHub, tmp_path: Path, lararium_home: Path
) -> None:
    (tmp_path / "atlas").mkdir()
    with hub_page(browser, hub, scheme="light") as app:
        app.open_folder(str(tmp_path / "atlas"))
        expect(
            app.project.get_by_role("heading", name="Which model should answer?")
        ).to_be_visible()
        app.project.get_by_role("button", name="Try the tour").click()
        app.project.get_by_role("button", name="Begin the tour").click()
        app.press("Enter")
        for card, key in (("Change this file?", "Allow once"), ("Run this command?", "Allow once")):
            asked = app.project.get_by_role("region", name=card)
            asked.get_by_role("button", name=key).click()
        app.project.get_by_role("radio", name="No, that is all").check()
        app.press("Enter")

        expect(app.project.get_by_text(re.compile("^Finished"))).to_be_visible()
        expect(app.project.get_by_text("not an AI").first).to_be_visible()
        lamp = lararium_home.with_name(f"{lararium_home.name}-tour") / "lamp-oil" / "lamp.py"
        assert "* wicks" in lamp.read_text(encoding="utf-8")

        app.rail.get_by_role("button", name="More for lamp-oil").click()
        app.page.get_by_role("menuitem", name="Remove the tour").click()
        expect(app.rail.get_by_text("lamp-oil")).to_have_count(0)
        assert not lamp.parent.exists()


def test_a_key_is_tried_before_it_is_kept_and_then_answers(
    browser: Browser, hub: RunningHub, tmp_path: Path
) -> None:
    (tmp_path / "atlas").mkdir()
    with FakeLlm(api_key="sk-right") as llm, hub_page(browser, hub) as app:
        app.open_folder(str(tmp_path / "atlas"))
        app.project.get_by_role("button", name="Any OpenAI-compatible address").click()
        app.project.get_by_label("Address of the server").fill(llm.base_url)
        app.project.get_by_label("API key").fill("sk-wrong")
        app.press("Enter")
        expect(app.project.get_by_role("alert").filter(has_text="401")).to_be_visible()

        app.project.get_by_label("API key").fill("sk-right")
        app.press("Enter")
        app.project.get_by_role("button", name="Keep it in the file").click()
        app.project.get_by_role("button", name="Continue with fake-model").click()
        app.send("hello [[fake text='Here I am.']]")
        expect(
            app.project.get_by_role("feed").get_by_text("Here I am.", exact=True)
        ).to_be_visible()


def test_what_another_project_asks_is_answered_by_keys_alone(
    browser: Browser, model: FakeLlm, hub: RunningHub, atlas: Project, tmp_path: Path
) -> None:
    orrery = open_project(hub, tmp_path / "orrery")
    with hub_page(browser, hub) as app:
        expect(app.project.locator("[data-composer]")).to_be_visible()
        atlas.start(f"go {TOUCH}")
        orrery.start(f"go {TOUCH}", title="Planets")
        expect(app.rail.get_by_text("Asks to run touch")).to_have_count(2)

        app.press("Control+i")
        expect(app.page.get_by_role("heading", name="Two things wait for you")).to_be_visible()
        wait_for_card(app, "Limit by key")
        app.press("y")
        expect(app.page.get_by_role("heading", name="One thing waits for you")).to_be_visible()
        wait_for_card(app, "Planets")
        app.press("n")
        expect(app.page.get_by_text("Finished and not looked at")).to_be_visible()
    assert (atlas.folder / "ran").exists()
    assert not (orrery.folder / "ran").exists()


def test_a_card_that_is_answered_elsewhere_says_so_and_goes(
    browser: Browser, model: FakeLlm, hub: RunningHub, atlas: Project
) -> None:
    with hub_page(browser, hub) as app:
        expect(app.project.locator("[data-composer]")).to_be_visible()
        atlas.start(f"go {TOUCH}")
        app.press("Control+i")
        expect(app.page.get_by_role("article")).to_be_visible()
        waiting = hub.link.request("GET", "/inbox")["items"][0]
        hub.link.request("POST", f"/inbox/{waiting['id']}/answer", {"action": "deny"})
        expect(app.page.get_by_text("Answered or withdrawn elsewhere")).to_be_visible()
        expect(app.page.get_by_role("article")).to_have_count(0)


def test_the_palette_finds_a_session_of_another_project_and_opens_it(
    browser: Browser, model: FakeLlm, hub: RunningHub, atlas: Project, tmp_path: Path
) -> None:
    open_project(hub, tmp_path / "orrery")
    atlas.start("hello [[fake text='Here I am.']]", title="Rate limits")
    with hub_page(browser, hub) as app:
        for name in ("atlas", "orrery"):
            app.rail.get_by_role("button", name=re.compile(f"^{name}")).click()
            expect(app.project.locator("[data-composer]")).to_be_visible()
        app.press("Control+k")
        app.page.keyboard.type("rate lim")
        expect(app.page.get_by_role("option", name=re.compile("Rate limits"))).to_be_visible()
        app.press("Enter")
        expect(app.project.get_by_role("heading", name="Rate limits")).to_be_visible()


def test_the_look_reaches_every_page_and_stays(
    browser: Browser, model: FakeLlm, hub: RunningHub, atlas: Project
) -> None:
    with hub_page(browser, hub, scheme="light") as app:
        expect(app.project.locator("[data-composer]")).to_be_visible()
        app.press("Control+,")
        app.page.get_by_role("radio", name="Dark").check()
        app.page.get_by_role("button", name="Larger").click()
        app.page.get_by_role("button", name="Models and providers").click()
        expect(app.project.get_by_role("heading", name="Models and providers")).to_be_visible()
        for root in (app.page.locator("html"), app.project.locator("html")):
            expect(root).to_have_attribute("data-theme", "dark")
            expect(root).to_have_css("font-size", "16.8px")
        app.page.reload()
        expect(app.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_project_is_moved_by_keys_and_by_the_pointer(
    browser: Browser, model: FakeLlm, hub: RunningHub, atlas: Project, tmp_path: Path
) -> None:
    for name in ("orrery", "tidepool"):
        (tmp_path / name).mkdir()
        hub.link.request("POST", "/workspaces", {"path": str(tmp_path / name)})
    with hub_page(browser, hub) as app:
        expect(app.project.locator("[data-composer]")).to_be_visible()
        rows = app.rail.locator("[data-project]")
        expect(rows).to_have_count(3)
        rows.nth(2).focus()
        app.press("Alt+ArrowUp", "Alt+ArrowUp")
        expect(rows.nth(0)).to_contain_text("tidepool")
        rows.nth(0).hover()
        app.page.mouse.down()
        box = rows.nth(2).bounding_box()
        assert box is not None
        app.page.mouse.move(box["x"] + 20, box["y"] + box["height"], steps=5)
        app.page.mouse.up()
        expect(rows.nth(2)).to_contain_text("tidepool")
        app.page.reload()
        expect(app.rail.locator("[data-project]").nth(2)).to_contain_text("tidepool")
        expect(app.project.locator("[data-composer]")).to_be_focused()  # the page has come

        app.page.set_viewport_size({"width": 900, "height": 900})
        tile = app.rail.get_by_role("button", name=re.compile("^tidepool,"))
        tile.press("Shift+F10")
        expect(app.page.get_by_role("menuitem", name="Move up")).to_be_visible()
        app.page.get_by_role("menuitem", name="Rename").press("Enter")
        app.page.get_by_role("textbox", name="Name of the project").fill("Pool")
        app.press("Enter")
        expect(app.rail.get_by_role("button", name=re.compile("^Pool,"))).to_be_focused()
