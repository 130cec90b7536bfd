"""The guard's table against a real daemon and a real hub, in both modes of `auth.loopback`."""

import sys
from collections.abc import Iterator

import pytest
from tests.fakes.guard_rows import HOST, TOKEN
from tests.fakes.guard_table import INVALID, OK, TABLE, TableRow
from tests.fakes.guarded_servers import KINDS, MODES, GuardedServer, guarded_server
from tests.fakes.raw_http import Answer
from tests.reliability.scale import report

from lararium_daemon.edge.failures import BURST

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells whose process it is"
)


@pytest.fixture(
    scope="module",
    params=[(kind, mode) for kind in KINDS for mode in MODES],
    ids=lambda given: "-".join(given),
)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GuardedServer]:
    kind, mode = request.param
    with guarded_server(kind, mode, tmp_path_factory.mktemp("guarded")) as running:
        yield running


def ask(server: GuardedServer, row: TableRow) -> Answer:
    if row.handshake:
        return server.shake_hands(row.path, row.headers)
    return server.ask(row.method, row.path, row.headers, row.body)


def test_every_row_of_the_table_holds(server: GuardedServer) -> None:
    answers = {name: ask(server, row) for name, row in TABLE.items()}
    outcomes = {name: (each.status, each.code) for name, each in answers.items()}
    assert outcomes == {name: row.outcome(server.mode) for name, row in TABLE.items()}
    report(f"{server.kind}, {server.mode}: {len(outcomes)} of {len(TABLE)} rows hold")
    for each in answers.values():
        assert not [name for name in each.headers if name.startswith("access-control-")]
        assert "server" not in each.headers
        if each.status != 101:
            assert each.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors" in each.headers["content-security-policy"]


def test_too_many_wrong_credentials_wait_and_the_right_one_does_not(server: GuardedServer) -> None:
    wrong = TABLE["wrong credential: wrong"]
    answers = [ask(server, wrong) for _ in range(BURST + 5)]
    assert {(each.status, each.code) for each in answers} == {INVALID, (429, "too_many_failures")}
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 3
    ticket = b'{"ticket": "guess"}'
    json = ("Content-Type", "application/json")
    guess = server.ask("POST", "/api/auth/exchange", [HOST, json], ticket)
    assert (guess.status, guess.code) == (429, "too_many_failures")
    assert int(guess.headers["retry-after"]) >= 1
    shaken = ask(server, TABLE["handshake: wrong ticket"])
    assert (shaken.status, shaken.code) == (429, "too_many_failures")
    right = server.ask("GET", "/api/status", [HOST, TOKEN])
    assert (right.status, right.code) == OK
    missing = server.ask("GET", "/api/status", [HOST, ("Cookie", "a=b")])
    assert missing.status == 401
