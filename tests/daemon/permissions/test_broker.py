"""Requests that wait for a person, and the decisions on them."""

import anyio
import pytest

from lararium_daemon.permissions.broker import Broker, Resolution, hash_shown
from lararium_daemon.protocol.api import DecisionInput, DecisionTaken
from lararium_daemon.protocol.ids import CallId, RequestId, RunId, SessionId
from lararium_daemon.protocol.permissions import Decision, GrantScope, PermissionRequest
from lararium_daemon.protocol.problems import LarariumError

pytestmark = pytest.mark.anyio
SHOWN = "/work\nmake x"


def request(number: int = 1, rules: list[str] | None = None) -> PermissionRequest:
    return PermissionRequest(
        id=RequestId(f"ask_{number}"),
        session_id=SessionId("ses_1"),
        run_id=RunId("run_1"),
        call_id=CallId("call_1"),
        tool="bash",
        title="Run this command?",
        reason="No rule allows it.",
        input={"command": "make x"},
        shown=SHOWN,
        shown_sha256=hash_shown(SHOWN),
        suggested_rules=rules or [],
        created_at="2026-01-01T00:00:00Z",
    )


def decision(
    given: Decision = "allow", scope: GrantScope = "once", shown: str = SHOWN
) -> DecisionInput:
    return DecisionInput(decision=given, scope=scope, shown_sha256=hash_shown(shown), reason="why")


async def waiter(broker: Broker, ask: PermissionRequest, got: list[Resolution]) -> None:
    got.append(await broker.wait(ask.id))
    await anyio.lowlevel.checkpoint()
    got.append(got[0])  # what follows from it is stored here
    broker.committed(ask.id)


async def test_a_decision_returns_once_it_is_committed() -> None:
    broker, ask, got = Broker(), request(), list[Resolution]()
    taken: list[DecisionTaken] = []
    broker.open(ask)
    assert broker.open_requests() == [ask]

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(waiter, broker, ask, got)
            taken.append(await broker.decide(ask.id, decision("deny")))
            assert len(got) == 2

    assert got[0] == Resolution("deny", "once", "person", "why")
    assert taken == [DecisionTaken(request_id=ask.id, decision="deny", scope="once")]
    assert broker.open_requests() == []


async def test_the_first_of_two_answers_counts() -> None:
    broker, ask, got = Broker(), request(), list[Resolution]()
    broker.open(ask)
    outcomes: list[str] = []

    async def answer(given: Decision) -> None:
        try:
            await broker.decide(ask.id, decision(given))
            outcomes.append(given)
        except LarariumError as error:
            outcomes.append(f"{error.status} {error.code}")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer, "allow")
            tasks.start_soon(answer, "deny")
            tasks.start_soon(waiter, broker, ask, got)

    assert sorted(outcomes) in (["409 already_resolved", "allow"], ["409 already_resolved", "deny"])
    assert got[0].decision in outcomes


@pytest.mark.parametrize(
    ("given", "code", "status"),
    [
        (decision(shown="/work\nrm x"), "shown_mismatch", 409),
        (decision(scope="always"), "no_safe_rule", 409),
    ],
)
async def test_a_decision_that_does_not_fit_leaves_the_request_open(
    given: DecisionInput, code: str, status: int
) -> None:
    broker, ask = Broker(), request()
    broker.open(ask)

    with pytest.raises(LarariumError) as refused:
        await broker.decide(ask.id, given)

    assert (refused.value.code, refused.value.status) == (code, status)
    assert broker.open_requests() == [ask]


async def test_an_unknown_request_is_404() -> None:
    with pytest.raises(LarariumError) as refused:
        await Broker().decide(RequestId("ask_0"), decision())

    assert (refused.value.code, refused.value.status) == ("unknown_request", 404)


async def test_a_withdrawn_request_ends_its_waiter_and_refuses_a_late_answer() -> None:
    broker, ask = Broker(), request()
    broker.open(ask)
    ends: list[Resolution] = []

    async def wait() -> None:
        ends.append(await broker.wait(ask.id))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert broker.withdraw(ask.id, "interrupt", "stopped")

    assert ends == [Resolution("deny", "once", "interrupt", "stopped")]
    assert broker.open_requests() == []
    assert not broker.withdraw(ask.id, "interrupt", "again")
    with pytest.raises(LarariumError) as refused:
        await broker.decide(ask.id, decision())
    assert refused.value.code == "already_resolved"


async def test_an_answer_whose_run_stops_before_the_commit_does_not_count() -> None:
    broker, ask = Broker(), request()
    broker.open(ask)

    async def stop() -> None:
        await broker.wait(ask.id)
        broker.withdraw(ask.id, "interrupt", "stopped")

    refusals: list[LarariumError] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop)
            try:
                await broker.decide(ask.id, decision())
            except LarariumError as error:
                refusals.append(error)

    assert [(error.code, error.status) for error in refusals] == [("already_resolved", 409)]


async def test_a_commit_that_never_comes_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lararium_daemon.permissions.desk.COMMIT_SECONDS", 0.01)
    broker, ask = Broker(), request()
    broker.open(ask)

    with pytest.raises(LarariumError) as refused:
        await broker.decide(ask.id, decision())

    assert (refused.value.code, refused.value.status) == ("not_committed", 503)


async def test_an_id_is_opened_once() -> None:
    broker = Broker()
    broker.open(request())

    with pytest.raises(ValueError, match="opened before"):
        broker.open(request())


async def test_open_requests_come_oldest_first() -> None:
    broker = Broker()
    for number in (2, 1, 3):
        broker.open(request(number))

    assert [ask.id for ask in broker.open_requests()] == ["ask_2", "ask_1", "ask_3"]
