"""What the scripted model server says: a `Scenario`, and the reply it makes of one request.

Pure: the same request and scenario always give the same reply. A *turn* is a user message and all
that follows it; how many tool rounds it has had is read from the request itself, so the server
keeps no state of sessions.
"""

import dataclasses
import json
import re
import shlex
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

DIRECTIVE = re.compile(r"\[\[fake\s+(.*?)\]\]", re.DOTALL)
TEXT = (
    "the lamp beside the door burns low and every guest has left a small gift of bread "
    "for the keepers of the house who watch the hearth until the morning comes again"
)
WORDS = TEXT.split()

PREFERRED: dict[str, tuple[str, ...]] = {
    "shell": ("bash",),
    "read": ("read_file",),
    "write": ("write_file",),
}
"""The tools meant by a kind; any other `tool` is a tool's exact name."""


@dataclass(frozen=True)
class Scenario:
    """All that decides a reply. Every field can be set by name, also in the prompt."""

    rounds: int = 0
    """Tool rounds before the final text."""
    calls: int = 1
    """Tool calls in one round."""
    tool: str = "shell"
    """shell | read | write | any | a tool's name, offered or not."""
    command: str = "true"
    path: str = "README.md"
    content: str = "hello\n"
    args: str = ""
    """The arguments as they go over the wire, valid JSON or not; `{i}` is the round, `{k}` the
    call in it."""
    last_command: str = ""
    """A shell call after the last round, in place of the final text."""
    tokens: int = 1
    """Length of the final text in words."""
    text: str = ""
    """The exact final text."""
    reasoning: int = 0
    """Words of reasoning before each reply."""
    keeps: str = ""
    """What of its reasoning it wants back (`llm_reasoning.py`); "" = nothing."""
    chunk: int = 1
    """Words in one streamed event."""
    batch: int = 1
    """Events in one write to the socket."""
    tps: float = 0.0
    """Words a second; 0 = as fast as possible."""
    ttft: float = 0.0
    """Seconds before the first byte."""
    finish: str = ""
    """Finish reason in place of the usual one."""
    usage: int = 1
    """0: never report usage; 1: when asked for."""
    prompt_tokens: int = -1
    """-1: a quarter of the request's bytes."""
    error: str = ""
    """A key of `llm_server.FAILURES`, or cut | badjson | empty | hang."""
    error_on: str = ""
    """Which completion requests fail, counted from 1 ("1,3-5"); "" = all."""
    retry_after: str = ""
    """The Retry-After header of a failure."""
    cut_after: int = 5
    """Events before a cut."""
    hold_after: int = -1
    """Events before the stream waits for `FakeLlm.release`; -1 = it never waits."""

    def updated(self, values: dict[str, Any]) -> "Scenario":
        """Give the scenario with `values` set; texts are read as the field's type."""
        kinds: dict[str, type[Any]] = {f.name: type(f.default) for f in dataclasses.fields(self)}
        unknown = sorted(set(values) - set(kinds))
        if unknown:
            raise ValueError(f"unknown scenario field: {', '.join(unknown)}")
        return dataclasses.replace(self, **{k: kinds[k](v) for k, v in values.items()})

    def fails(self, number: int) -> bool:
        """Whether completion request `number` (from 1) is one that fails."""
        if not self.error or not self.error_on:
            return bool(self.error)
        for part in self.error_on.split(","):
            low, _, high = part.partition("-")
            if int(low) <= number <= int(high or low):
                return True
        return False


@dataclass
class Call:
    """One tool call of a reply."""

    id: str
    name: str
    arguments: str


@dataclass
class Reply:
    """What to say; `text` and `reasoning` hold one item for each streamed event."""

    text: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    calls: list[Call] = field(default_factory=list[Call])
    keeps: str = ""
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0


def text_of(content: Any) -> str:
    """Give a message content's text, whichever of its two shapes it has."""
    if isinstance(content, str):
        return content
    parts: list[Json] = content or []
    return "".join(part.get("text") or "" for part in parts)


def read_turn(messages: list[Json]) -> tuple[str, int]:
    """Give the turn's directive ("" if none) and how many tool rounds it has had.

    A turn begins at the last user message with a directive, else at the last user message:
    an agent may slip in user messages of its own.
    """
    begin, directive = -1, ""
    for index, message in enumerate(messages):
        if message.get("role") != "user":
            continue
        found = DIRECTIVE.findall(text_of(message.get("content")))
        if found or not directive:
            begin, directive = index, (found[-1] if found else "")
    rounds = sum(bool(m.get("tool_calls")) for m in messages[begin + 1 :])
    return directive, rounds


def parse_directive(text: str) -> dict[str, str]:
    """Read `key=value` pairs, quoted as in a shell."""
    return dict(part.split("=", 1) for part in shlex.split(text) if "=" in part)


def plan(body: Json, size: int, scenario: Scenario, rounds_done: int, number: int) -> Reply:
    """Make the reply to one request of `size` bytes, the server's `number`th."""
    prompt_tokens = scenario.prompt_tokens if scenario.prompt_tokens >= 0 else size // 4
    reply = Reply(prompt_tokens=prompt_tokens, reasoning=_words(scenario.reasoning, scenario.chunk))
    reply.finish, reply.keeps = scenario.finish or "stop", scenario.keeps
    if scenario.error == "empty":
        return reply
    wants_last = bool(scenario.last_command) and rounds_done == scenario.rounds
    if rounds_done < scenario.rounds or wants_last:
        if wants_last:
            scenario = scenario.updated({
                "tool": "shell",
                "command": scenario.last_command,
                "calls": 1,
                "args": "",
            })
        reply.calls = _calls(body.get("tools") or [], scenario, rounds_done, number)
        reply.finish = scenario.finish or "tool_calls"
        reply.completion_tokens = 20 * len(reply.calls) + scenario.reasoning
        return reply
    reply.text = _pieces(scenario) if scenario.text else _words(scenario.tokens, scenario.chunk)
    reply.completion_tokens = len(reply.text) * scenario.chunk + scenario.reasoning
    return reply


def _calls(tools: list[Json], scenario: Scenario, round_number: int, number: int) -> list[Call]:
    offered: dict[str, Json] = {
        t["function"]["name"]: t["function"].get("parameters") or {} for t in tools
    }
    name = next((n for n in PREFERRED.get(scenario.tool, ()) if n in offered), scenario.tool)
    if scenario.tool == "any" and offered:
        name = next(iter(offered))
    calls: list[Call] = []
    for k in range(scenario.calls):
        if scenario.args:
            arguments = scenario.args.replace("{i}", str(round_number)).replace("{k}", str(k))
        else:
            arguments = json.dumps(_fill_all(offered.get(name, {}), scenario), ensure_ascii=False)
        if scenario.error == "badjson":
            arguments = arguments[:-1]
        calls.append(Call(f"call_{number}_{k}", name, arguments))
    return calls


def _fill_all(schema: Json, scenario: Scenario) -> Json:
    properties: Json = schema.get("properties") or {}
    required: list[str] = schema.get("required") or list(properties)[:1]
    return {name: _fill(name, properties.get(name) or {}, scenario) for name in required}


def _fill(name: str, schema: Json, scenario: Scenario) -> Any:
    """Give a plausible value for one argument."""
    named = {
        "command": scenario.command,
        "path": scenario.path,
        "file_path": scenario.path,
        "content": scenario.content,
    }
    if name in named:
        return named[name]
    if schema.get("enum"):
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    kind = schema.get("type", "string")
    plain: Json = {"integer": 1, "number": 1, "boolean": False, "array": []}
    return _fill_all(schema, scenario) if kind == "object" else plain.get(kind, "fake")


def _words(count: int, chunk: int) -> list[str]:
    tokens = [WORDS[i % len(WORDS)] + (".\n" if i % 20 == 19 else " ") for i in range(count)]
    return ["".join(tokens[i : i + chunk]) for i in range(0, count, chunk)]


def _pieces(scenario: Scenario) -> list[str]:
    tokens = re.findall(r"\s*\S+\s*|\s+", scenario.text)
    return ["".join(tokens[i : i + scenario.chunk]) for i in range(0, len(tokens), scenario.chunk)]
