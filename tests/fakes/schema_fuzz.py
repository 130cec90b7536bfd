"""Requests that an OpenAPI document allows, and such that it forbids, made by schemathesis.

Beside them bodies that are JSON and no object, or nested, odd or broken, which a document cannot
say. Everything is sent to a real server with its token, and what it answered is kept.
"""

import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.generation import GenerationMode

SECONDS = 5.0
"""A server that says nothing for so long hangs."""
JSON = "application/json"
ANSWER_BYTES = 1024 * 1024

Route = tuple[str, str]

ODD_BODIES: tuple[bytes, ...] = (
    b"[]",
    b"null",
    b"true",
    b'"text"',
    b"0",
    b"-1e999",
    b"NaN",
    b"{",
    b"",
    b'{"": null}',
    b'{"text": ',
    b'{"a": 1, "a": 2}',
    b'{"\\ud800": "\\udfff"}',
    b'{"title": "\\u0000\\u202e"}',
    b"[" * 5000,
    b'{"a":' * 3000 + b"1" + b"}" * 3000,
    b"1" * 5000,
    b'{"text": 1' + b"0" * 5000 + b"}",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b"\xed\xa0\x80",
    b"\x00",
)


@dataclass
class Tally:
    """What was sent to one server, and what came back."""

    sent: int = 0
    unsendable: int = 0
    """Cases that no client could write down, such as half a surrogate pair in an address."""
    statuses: Counter[int] = field(default_factory=Counter[int])
    broken: Counter[tuple[int, str, str]] = field(default_factory=Counter[tuple[int, str, str]])
    """Answers of 500 and more: status, code, route."""
    hangs: list[str] = field(default_factory=list[str])
    odd: list[str] = field(default_factory=list[str])
    """Answers that are not what the document promises."""
    slowest_seconds: float = 0.0


@dataclass
class SchemaFuzz:
    """Sends to one server."""

    base_url: str
    token: str
    known: Mapping[str, list[str]]
    """Values that exist, by the name of the path's parameter: half of the cases use them."""
    skipped: Mapping[Route, str]
    """Routes that are not sent, and why."""
    strangers: Mapping[Route, str]
    """Routes that are sent with made-up values alone, and why."""
    chance: random.Random
    tally: Tally = field(default_factory=Tally)
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Bearer {self.token}"

    def run(self, amount: int, at_once: int) -> None:
        """Send about so many requests, `at_once` of each kind of case."""
        document = self.session.get(f"{self.base_url}/api/openapi.json", timeout=SECONDS).json()
        operations = [each for each in _operations(document) if each.route not in self.skipped]
        self.chance.shuffle(operations)
        until = self.tally.sent + amount
        while self.tally.sent < until:
            for operation in operations:
                if self.tally.sent >= until:
                    return
                for mode in operation.modes:
                    self._generated(operation, mode, at_once)
                self._odd_bodies(operation, at_once)

    def _generated(self, operation: "Operation", mode: GenerationMode, amount: int) -> None:
        for case in operation.cases(mode, amount, self.chance.randrange(2**32)):
            if operation.route not in self.strangers and self.chance.random() < 0.5:
                self._use_known(case)
            try:
                wanted = case.as_transport_kwargs(base_url=self.base_url)
                wanted["headers"].pop("Authorization", None)
                prepared = self.session.prepare_request(requests.Request(**wanted))
            except (UnicodeError, ValueError):
                self.tally.unsendable += 1
                continue
            self._send(operation, prepared)

    def _odd_bodies(self, operation: "Operation", amount: int) -> None:
        if not operation.has_body:
            return
        path = re.sub(r"{(\w+)}", lambda m: self._some(m[1]), operation.route[1])
        for body in self.chance.sample(ODD_BODIES, min(amount, len(ODD_BODIES))):
            request = requests.Request(
                operation.route[0],
                self.base_url + path,
                data=body,
                headers={"Content-Type": operation.body_type},
            )
            self._send(operation, self.session.prepare_request(request))

    def _use_known(self, case: Any) -> None:
        for name in cast("dict[str, str]", case.path_parameters or {}):
            if name in self.known:
                case.path_parameters[name] = self._some(name)

    def _some(self, name: str) -> str:
        return quote(self.chance.choice(self.known.get(name) or ["none"]), safe="")

    def _send(self, operation: "Operation", request: requests.PreparedRequest) -> None:
        self.tally.sent += 1
        started = time.monotonic()
        route = " ".join(operation.route)
        try:
            with self.session.send(request, timeout=SECONDS, stream=True) as answer:
                is_endless = operation.is_endless and answer.status_code == 200
                body = b"" if is_endless else _read(answer)
                self._note(operation, answer, body, route)
        except requests.RequestException as error:
            self.tally.hangs.append(f"{route}: {type(error).__name__} {request.body!r:.200}")
        took = time.monotonic() - started
        self.tally.slowest_seconds = max(self.tally.slowest_seconds, took)
        if took > SECONDS:
            self.tally.hangs.append(f"{route}: {took:.1f} s")

    def _note(
        self, operation: "Operation", answer: requests.Response, body: bytes, route: str
    ) -> None:
        self.tally.statuses[answer.status_code] += 1
        kind = answer.headers.get("Content-Type", "")
        if answer.status_code < 400 or operation.route[0] == "HEAD":
            return
        if kind != "application/problem+json":
            self.tally.odd.append(f"{route}: {answer.status_code} {kind}")
            return
        code = re.search(rb'"code": ?"(\w+)"', body)
        said = code[1].decode() if code else ""
        if not said:
            self.tally.odd.append(f"{route}: {answer.status_code} without a code")
        if answer.status_code >= 500:
            self.tally.broken[answer.status_code, said, route] += 1


def _read(answer: requests.Response) -> bytes:
    for part in answer.iter_content(ANSWER_BYTES):
        return part
    return b""


@dataclass(frozen=True)
class Operation:
    """One operation of a document."""

    route: Route
    made: Any
    """schemathesis's own."""

    @property
    def has_body(self) -> bool:
        return bool(self.made.body)

    @property
    def body_type(self) -> str:
        """What its body is sent as; "" when it has none."""
        return next((str(each.media_type) for each in self.made.body), "")

    @property
    def is_endless(self) -> bool:
        """Whether its answer is a stream that lasts."""
        return self.route == ("GET", "/api/sessions/{session_id}/events")

    @property
    def modes(self) -> tuple[GenerationMode, ...]:
        """What can be made; a path's parameters and octets may be anything."""
        can_be_wrong = self.body_type == JSON or bool(self.made.query)
        both = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        return both if can_be_wrong else both[:1]

    def cases(self, mode: GenerationMode, amount: int, number: int) -> list[Any]:
        """Make so many cases, or fewer where there are no more."""
        found: list[Any] = []

        def keep(case: Any) -> None:
            found.append(case)

        quiet = settings(
            max_examples=amount,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=[
                HealthCheck.filter_too_much,
                HealthCheck.too_slow,
                HealthCheck.data_too_large,
            ],
        )
        strategy = self.made.as_strategy(generation_mode=mode)
        make = seed(number)(quiet(given(strategy)(keep)))
        make()
        return found


def _operations(document: dict[str, Any]) -> Iterator[Operation]:
    schema: Any = schemathesis.openapi.from_dict(document)
    for result in schema.get_all_operations():
        operation: Any = result.ok()
        yield Operation((operation.method.upper(), operation.path), operation)
