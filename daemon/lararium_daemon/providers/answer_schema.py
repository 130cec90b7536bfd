"""The shape that an answer has to have: a JSON schema, and whether a text fits it.

Schemas never reach out: a reference to an address is an error of the schema.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Never, cast

import orjson

_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
MAX_PROBLEMS = 5

Json = dict[str, Any]


@dataclass(slots=True, frozen=True)
class AnswerSchema:
    """What a model is to answer with."""

    name: str
    """Letters, digits, `_` and `-`, at most 64: servers show it to the model."""
    schema: Mapping[str, Any]
    """JSON schema of an object."""

    @property
    def is_strict(self) -> bool:
        """Whether servers that check a schema to the letter take it: every object closed and full.

        Source: https://platform.openai.com/docs/guides/structured-outputs (supported schemas).
        """
        return _is_strict(self.schema)

    def problems(self, value: Any) -> list[str]:
        """Say how a value does not fit, a few words each; none when it does.

        Raises:
            ValueError: the schema itself is wrong.
        """
        import jsonschema_rs

        try:
            validator = jsonschema_rs.validator_for(dict(self.schema), retriever=_refuse)
        except jsonschema_rs.ValidationError as error:
            raise ValueError(f"the schema {self.name} is wrong: {error.message}") from None
        found: list[str] = []
        for error in validator.iter_errors(value):
            place = ".".join(str(step) for step in error.instance_path) or "the answer"
            found.append(f"{place}: {error.message}"[:300])
            if len(found) == MAX_PROBLEMS:
                break
        return found


def read_answer(text: str) -> Any:
    """Read the JSON in an answer: the whole text, a fenced block, or from brace to brace.

    Raises:
        ValueError: there is none.
    """
    stripped = text.strip()
    candidates = [stripped, *(block.strip() for block in _FENCED.findall(stripped))]
    begin, end = stripped.find("{"), stripped.rfind("}")
    if 0 <= begin < end:
        candidates.append(stripped[begin : end + 1])
    for candidate in candidates:
        try:
            return orjson.loads(candidate)
        except orjson.JSONDecodeError:
            continue
    raise ValueError("the answer is no JSON")


def _refuse(address: str) -> Never:
    raise ValueError(f"references to {address} are not followed")


def _is_strict(schema: Any) -> bool:
    if isinstance(schema, list):
        return all(map(_is_strict, cast("list[Any]", schema)))
    if not isinstance(schema, Mapping):
        return True
    fields = cast("Mapping[str, Any]", schema)
    properties = fields.get("properties")
    if isinstance(properties, Mapping):
        names = set(cast("Mapping[str, Any]", properties))
        required = cast("list[str]", fields.get("required") or [])
        if fields.get("additionalProperties") is not False or set(required) != names:
            return False
    return all(map(_is_strict, fields.values()))
