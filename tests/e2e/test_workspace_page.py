"""Whole journeys on a workspace's page: real browser, real daemon, scripted model."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.workspace import edit, workspace_page
from tests.fakes.llm_server import FakeLlm
from tests.fakes.pictures import png
from tests.fakes.real_daemon import RealDaemon, real_daemon

pytestmark = pytest.mark.e2e

PASTE = """
(field, bytes) => {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([new Uint8Array(bytes)], "shot.png", { type: "image/png" }));
  const paste = { clipboardData, bubbles: true, cancelable: true };
  field.dispatchEvent(new ClipboardEvent("paste", paste));
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "atlas"
    folder.mkdir()
    (folder / "limits.py").write_text("def key(r):\n    return r.host\n", encoding="utf-8")
    return folder


def test_prompt_approve_diff_stop_reload_and_go_on(
    browser: Browser, daemon: RealDaemon, project: Path
) -> None:
    limits = project / "limits.py"
    with workspace_page(browser, daemon) as page:
        page.send(f"limit by key [[fake {edit(limits, 'r.host', 'r.key')} text='It is done.']]")
        expect(page.card("Change this file?")).to_contain_text("+    return r.key")
        assert "r.host" in limits.read_text(encoding="utf-8")
        page.answer("Change this file?", "Allow once")

        page.answers("It is done.")
        expect(page.page.get_by_role("group", name="Change of limits.py")).to_be_visible()
        assert limits.read_text(encoding="utf-8") == "def key(r):\n    return r.key\n"

        page.send(
            "wait [[fake rounds=1 tool=shell command='touch begun; echo started; sleep 300']]"
        )
        page.answer("Run this command?", "Allow once")
        page.shows("started")
        page.page.get_by_role("button", name="Stop").click()
        page.ends("Stopped")

        page.page.reload()
        page.answers("It is done.")
        page.scroll_to_end()
        page.ends("Stopped")

        page.send("go on [[fake text='Here we are again.']]")
        page.answers("Here we are again.")


def test_a_denied_command_does_not_run_and_the_note_reaches_the_model(
    browser: Browser, daemon: RealDaemon, project: Path, llm: FakeLlm
) -> None:
    with workspace_page(browser, daemon) as page:
        page.send("go [[fake rounds=1 tool=shell command='touch ran' text='As you wish.']]")
        card = page.card("Run this command?")
        expect(card).to_contain_text("touch ran")
        card.get_by_role("button", name="Deny with a note").click()
        card.get_by_label("Note to the agent").fill("not today")
        card.get_by_label("Note to the agent").press("Enter")

        page.answers("As you wish.")
    assert not (project / "ran").exists()
    assert "not today" in llm.requests[-1].body["messages"][-1]["content"]


def test_a_question_is_answered_with_the_keyboard_alone(
    browser: Browser, daemon: RealDaemon, llm: FakeLlm
) -> None:
    question = (
        '{"questions": [{"question": "Which replica?", "options": '
        '[{"label": "Logical"}, {"label": "Streaming"}]}]}'
    )
    with workspace_page(browser, daemon) as page:
        page.send(f"go [[fake rounds=1 tool=ask_user args='{question}' text='Good.']]")
        card = page.card("Which replica?")
        expect(card).to_be_visible()
        page.page.keyboard.press("Control+j")
        card.get_by_role("radio", name="Streaming").press("Space")
        page.page.keyboard.press("Enter")

        page.answers("Good.")
    assert "Streaming" in llm.requests[-1].body["messages"][-1]["content"]


def test_a_request_waits_through_a_reload_and_a_second_client(
    browser: Browser, daemon: RealDaemon
) -> None:
    with workspace_page(browser, daemon) as first, workspace_page(browser, daemon) as second:
        first.send("go [[fake rounds=1 tool=shell command='touch ran' text='Ran it.']]")
        expect(first.card("Run this command?")).to_be_visible()
        first.page.reload()
        expect(first.card("Run this command?")).to_be_visible()

        second.page.get_by_role("navigation", name="Sessions").get_by_text("go [[").first.click()
        second.answer("Run this command?", "Allow once")

        first.answers("Ran it.")
        expect(first.card("Run this command?")).to_have_count(0)


def test_the_steps_of_the_agent_stand_over_the_composer_and_outlive_a_reload(
    browser: Browser, daemon: RealDaemon
) -> None:
    steps = [("Read the limits", "done"), ("Limit by key", "in_progress"), ("Test it", "pending")]
    given = json.dumps({"steps": [{"text": text, "state": state} for text, state in steps]})
    with workspace_page(browser, daemon, width=900) as page:
        page.send(f"go [[fake rounds=1 tool=todo args='{given}' text='More to do.']]")
        page.answers("More to do.")
        line = page.page.get_by_role("button", name="1 of 3 steps: Limit by key")
        line.press("Enter")
        shown = page.page.get_by_role("list", name="All steps").get_by_role("listitem")
        expect(shown).to_have_text([text for text, _ in steps])
        expect(shown.nth(1)).to_have_attribute("aria-current", "step")

        page.page.reload()
        expect(line).to_be_visible()
        expect(shown).to_have_count(0)


def test_a_pasted_image_is_sent_shown_and_outlives_a_reload(
    browser: Browser, daemon: RealDaemon
) -> None:
    with workspace_page(browser, daemon, scheme="light", width=900) as page:
        page.page.locator("[data-composer]").evaluate(PASTE, list(png(64, 48)))
        chip = page.page.get_by_role("list", name="Attached images").get_by_role("listitem")
        expect(chip).to_contain_text("shot.png")
        page.send("what is it? [[fake text='A rectangle.']]")
        page.answers("A rectangle.")
        expect(chip).to_have_count(0)

        page.page.reload()
        page.page.get_by_role("button", name="Open shot.png").press("Enter")
        larger = page.page.get_by_role("dialog", name="shot.png").get_by_role("img")
        assert larger.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 64
        page.page.keyboard.press("Escape")
        expect(page.page.get_by_role("button", name="Open shot.png")).to_be_focused()


def test_a_failing_model_says_what_to_do_and_the_session_stays_usable(
    browser: Browser, daemon: RealDaemon, llm: FakeLlm
) -> None:
    with workspace_page(browser, daemon) as page:
        page.send("hello [[fake error=401]]")
        page.ends("401")

        page.send("again [[fake text='Now it works.']]")
        page.answers("Now it works.")


def test_without_a_model_the_page_says_how_to_get_one(browser: Browser, project: Path) -> None:
    with real_daemon(project) as daemon, workspace_page(browser, daemon) as page:
        expect(page.page.get_by_role("heading", name="Which model should answer?")).to_be_visible()
        expect(page.page.get_by_label("API key")).to_be_visible()
        expect(page.page.get_by_role("region", name="Tour")).to_be_visible()


def test_reading_above_is_not_moved_by_text_that_arrives_below(
    browser: Browser, daemon: RealDaemon, llm: FakeLlm
) -> None:
    with workspace_page(browser, daemon) as page:
        page.send("long [[fake tokens=4000]]")
        page.ends("Finished")
        feed = page.page.get_by_role("feed")
        llm.set(hold_after=1500)
        page.send("longer [[fake tokens=4000]]")
        llm.wait_for_request(2)
        feed.hover()
        page.page.mouse.wheel(0, -1500)
        expect(page.page.get_by_role("button", name="Follow the answer")).to_be_visible()
        before = feed.evaluate("(e) => e.scrollTop")
        llm.release()
        expect(page.page.get_by_role("button", name="Stop")).to_have_count(0)

        assert abs(feed.evaluate("(e) => e.scrollTop") - before) <= 5
        page.page.get_by_role("button", name="Follow the answer").click()
        page.ends("Finished")
