"""Fixtures that several contracts use."""

from tests.fakes.llm_server import llm as llm
