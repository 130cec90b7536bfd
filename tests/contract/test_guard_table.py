"""The guard's table against a real daemon and a real hub, in both modes of `auth.loopback`."""

import os
import shutil
import subprocess
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
    assert right.json["security"] == server.mode
    missing = server.ask("GET", "/api/status", [HOST, ("Cookie", "a=b")])
    assert missing.status == 401


OTHER_USER = 65_534
"""`nobody`, who exists on every Linux."""
ASK = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
connection.request("GET", "/api/status")
print(connection.getresponse().status)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_another_user_s_program_is_asked_for_a_credential_in_either_mode(
    server: GuardedServer,
) -> None:
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("there is no Python that everybody may run")
    command = [python, "-I", "-c", ASK, str(server.port)]
    asked = {
        user: subprocess.run(
            command, cwd="/", user=user, capture_output=True, text=True, timeout=30, check=True
        ).stdout.strip()
        for user in (os.getuid(), OTHER_USER)
    }
    own = "200" if server.mode == "trust-same-user" else "401"
    assert asked == {os.getuid(): own, OTHER_USER: "401"}
