"""A session's older part is summarised when the person asks for it, and can be told again."""

import json
from pathlib import Path

from tests.contract.test_lar_run import run
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon


def test_the_older_part_is_told_as_a_summary_until_that_is_undone(
    tmp_path: Path, llm: FakeLlm
) -> None:
    folder = tmp_path / "project"
    profile = {"base_url": llm.base_url, "model": "fake-model"}
    with real_daemon(folder, profiles={"P": profile}):
        first = run(folder, "run", "--json", "Mind the lamp. [[fake text=Yes.]]")
        session = first.events[0]["session_id"]
        run(folder, "run", "--session", session, "And the door. [[fake text='I do.']]")
        before = len(llm.requests)
        done = run(folder, "sessions", "compact", session, "--json")
        assert (done.code, json.loads(done.out)) == (0, {"compacted": True})
        assert len(llm.requests) == before + 1

        last = run(folder, "run", "--json", "--session", session, "Go on. [[fake text=Done.]]")
        assert last.code == 0
        told = [str(message["content"]) for message in llm.requests[-1].body["messages"]]
        assert any("Your own notes of the session so far" in text for text in told)
        assert not any("Mind the lamp." in text for text in told)
        assert any("And the door." in text for text in told)
