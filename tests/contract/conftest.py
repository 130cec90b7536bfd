"""Fixtures that several contracts use."""

from tests.fakes.keyed_llm import keyed_llm as keyed_llm
from tests.fakes.keyed_llm import kind as kind
from tests.fakes.keyed_llm import kind_llm as kind_llm
from tests.fakes.keyed_llm import running_kinds as running_kinds
from tests.fakes.keyed_llm import running_llm as running_llm
from tests.fakes.llm_server import llm as llm
from tests.fakes.terminal import project as project
