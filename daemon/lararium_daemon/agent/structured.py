"""A question whose answer has a shape: asked with a JSON schema, checked, repaired once.

Where the server knows schemas it is bound to it; everywhere the model is told in words too, and
what comes back is checked here, whoever promised what.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import orjson

from lararium_daemon.providers.answer_schema import AnswerSchema, read_answer
from lararium_daemon.providers.failures import KEPT
from lararium_daemon.providers.provider import (
    Finished,
    ModelMessage,
    ModelRequest,
    Provider,
    ProviderError,
    TextDelta,
)

BAD_ANSWER = "provider_bad_answer"
MAX_ANSWER_CHARS = 256 * 1024


@dataclass(slots=True, frozen=True)
class StructuredAnswer:
    """A value that fits its schema."""

    value: Any
    calls: tuple[Finished, ...]
    """The ends of the one or two model calls it took, for those who count."""

    @property
    def is_repaired(self) -> bool:
        """The first answer did not fit."""
        return len(self.calls) > 1


async def ask_structured(
    provider: Provider,
    messages: Sequence[ModelMessage],
    schema: AnswerSchema,
    *,
    model: str = "",
) -> StructuredAnswer:
    """Ask a model for a value that fits `schema`; a first answer that does not is sent back once.

    Args:
        provider: the model.
        messages: what is asked; the schema is added here.
        schema: what the answer has to look like.
        model: its name; "" = the provider's own.

    Raises:
        ProviderError: the call failed, or `provider_bad_answer`: the second answer did not fit
            either.
        ValueError: the schema itself is wrong.
    """
    schema.problems({})  # a wrong schema is found before it costs a call
    told = [*messages, _wanted(schema)]
    calls: list[Finished] = []
    problems: list[str] = []
    for _ in range(2):
        request = ModelRequest(model, told, schema=schema)
        text, end = await _ask(provider, request)
        calls.append(end)
        try:
            value = read_answer(text)
            problems = schema.problems(value)
        except ValueError as error:
            value, problems = None, [str(error)]
        if not problems:
            return StructuredAnswer(value, tuple(calls))
        told = [*told, ModelMessage("assistant", text or "(nothing)"), _repair(problems)]
    raise ProviderError(
        BAD_ANSWER,
        f"The model did not give the answer in the form that was asked for, twice "
        f"({'; '.join(problems)}). Choose another model, or ask again. {KEPT}",
    )


async def _ask(provider: Provider, request: ModelRequest) -> tuple[str, Finished]:
    pieces: list[str] = []
    end = Finished("")
    length = 0
    async with aclosing(provider.stream(request)) as stream:
        async for event in stream:
            if isinstance(event, TextDelta) and length < MAX_ANSWER_CHARS:
                pieces.append(event.text)
                length += len(event.text)
            elif isinstance(event, Finished):
                end = replace(event)
    return "".join(pieces), end


def _wanted(schema: AnswerSchema) -> ModelMessage:
    text = orjson.dumps(dict(schema.schema)).decode()
    words = "Answer with one JSON object that fits this schema, and with nothing else"
    return ModelMessage("user", f"[{words}:\n{text}]")


def _repair(problems: Sequence[str]) -> ModelMessage:
    listed = "\n".join(f"- {problem}" for problem in problems)
    words = "That does not fit the schema. Give the whole object again, mended, and nothing else"
    return ModelMessage("user", f"[{words}:\n{listed}]")
