"""Fixtures of this folder."""

from tests.fakes.llm_server import llm as llm
