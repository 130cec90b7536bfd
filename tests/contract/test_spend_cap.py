"""A spend cap that is reached: the run waits, the inbox asks, and the answer counts once."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.test_hub_inbox import answer, kinds, wait_inbox
from tests.fakes.hub_project import open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon
from tests.fakes.running_hub import running_hub
from tests.fakes.terminal import lar

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

PROMPT = "[[fake rounds=1 tool=read path=a.txt text=Read.]]"


def settings(llm: FakeLlm) -> dict[str, Any]:
    """A model whose every call costs far more than may be spent."""
    profile = {
        "base_url": llm.base_url,
        "model": "fake-model",
        "price": {"input": 1_000, "output": 1_000},
    }
    spend = {"session": 0.01}
    return {"profiles": {"P": profile}, "agent": {"spend": spend}, "discovery": False}


@pytest.fixture
def folder(tmp_path: Path, llm: FakeLlm) -> Path:
    config = resolve_paths(read_environment()).config
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.json").write_text(json.dumps(settings(llm)), encoding="utf-8")
    root = tmp_path / "atlas-api"
    root.mkdir()
    (root / "a.txt").write_text("lares\n", encoding="utf-8")
    return root


def test_the_inbox_asks_also_after_a_restart_and_the_run_goes_on_to_its_end(folder: Path) -> None:
    with running_hub() as hub:
        project = open_project(hub, folder)
        project.start(PROMPT)
        [item] = wait_inbox(hub.link, lambda items: kinds(items) == ["question"])
        assert (item["waiting"], item["code"]) == (True, "spend_cap")
        question = hub.link.request("GET", f"/inbox/{item['id']}")["question"]
        assert question["spend"]["scope"] == "session"
        assert "has cost $" in question["items"][0]["text"]
        with pytest.raises(ClientError) as caught:
            answer(hub.link, item, action="answer", answers=[{"selected": [], "text": "maybe"}])
        assert caught.value.code == "invalid_answer"

        stop_daemon(resolve_paths(read_environment()).workspace(folder))
        project = open_project(hub, folder)
        [again] = wait_inbox(hub.link, lambda items: kinds(items) == ["question"])
        assert again["id"] == item["id"]
        go_on = [{"selected": ["Continue"], "text": ""}]
        assert answer(hub.link, again, action="answer", answers=go_on)["outcome"] == "taken"

        [done] = wait_inbox(hub.link, lambda items: kinds(items) == ["finished"])
        assert done["detail"] == "Read."


def test_a_headless_run_stops_says_so_and_ends_with_exit_3(folder: Path, llm: FakeLlm) -> None:
    with real_daemon(folder, **settings(llm)):
        ran = lar(folder, "run", PROMPT)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "This session has cost $" in ran.stderr
    assert "Nobody is here to say whether it may spend more." in ran.stderr
