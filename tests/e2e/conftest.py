"""Fixtures of the journeys."""

from tests.fakes.llm_server import llm as llm
