"""One stage for the cases of a module: what forks its daemons starts slowly, they do not."""

from collections.abc import Generator

import pytest
from tests.fakes.crash_stage import CrashStage, crash_stage
from tests.fakes.llm_server import FakeLlm


@pytest.fixture(scope="module")
def stage_of_module(tmp_path_factory: pytest.TempPathFactory) -> Generator[CrashStage]:
    home = tmp_path_factory.mktemp("crash") / "home"
    with FakeLlm() as llm, crash_stage(home, llm) as stage:
        yield stage


@pytest.fixture
def stage(stage_of_module: CrashStage) -> CrashStage:
    """The stage, with a daemon that runs and nothing planned."""
    stage_of_module.clear()
    stage_of_module.llm.reset()
    stage_of_module.start()
    return stage_of_module
