"""Tokens, session keys and tickets: what opens, for how long, and how often."""

import pytest

from lararium_daemon.edge import credentials as module
from lararium_daemon.edge.credentials import (
    PAGE_SCOPES,
    SESSION_IDLE_SECONDS,
    TICKET_SECONDS,
    Credentials,
    new_token,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock | None = None) -> Credentials:
    return Credentials("the-token", clock=clock or Clock())


def test_a_token_has_256_bits_and_is_new_each_time() -> None:
    assert len(new_token()) == 43
    assert new_token() != new_token()


def test_the_token_opens_with_its_scopes() -> None:
    hub = Credentials("the-token", token_scopes={*PAGE_SCOPES, "native"})
    assert make().check_bearer("the-token") == PAGE_SCOPES
    assert hub.check_bearer("the-token") == {*PAGE_SCOPES, "native"}


@pytest.mark.parametrize("secret", ["", "the-toke", "the-token2", "é", "\ud800", "x" * 1_000_000])
def test_what_is_no_secret_of_ours_opens_nothing(secret: str) -> None:
    assert make().check_bearer(secret) is None
    assert make().spend_ticket(secret, "ws") is None


def test_a_session_key_opens_with_the_scopes_it_was_made_with() -> None:
    credentials = make()
    assert credentials.check_bearer(credentials.new_session_key({"read"})) == {"read"}


def test_a_session_key_lasts_while_it_is_used() -> None:
    clock = Clock()
    credentials = make(clock)
    key = credentials.new_session_key({"read"})
    for _ in range(3):
        clock.now += SESSION_IDLE_SECONDS - 1
        assert credentials.check_bearer(key) == {"read"}
    clock.now += SESSION_IDLE_SECONDS + 1
    assert credentials.check_bearer(key) is None


def test_a_ticket_is_spent_once() -> None:
    credentials = make()
    ticket = credentials.mint_ticket("ws", scopes={"read"})
    assert credentials.spend_ticket(ticket, "ws") == {"read"}
    assert credentials.spend_ticket(ticket, "ws") is None


def test_a_ticket_for_another_use_is_refused_and_gone() -> None:
    credentials = make()
    ticket = credentials.mint_ticket("ui")
    assert credentials.spend_ticket(ticket, "ws") is None
    assert credentials.spend_ticket(ticket, "ui") is None


def test_a_late_ticket_is_refused() -> None:
    clock = Clock()
    credentials = make(clock)
    short = credentials.mint_ticket("ui")
    printed = credentials.mint_ticket("ui", ttl_seconds=module.PRINTED_TICKET_SECONDS)
    clock.now += TICKET_SECONDS + 1
    assert credentials.spend_ticket(short, "ui") is None
    assert credentials.spend_ticket(printed, "ui") == PAGE_SCOPES


def test_a_ticket_is_no_bearer_and_a_token_is_no_ticket() -> None:
    credentials = make()
    assert credentials.check_bearer(credentials.mint_ticket("ws")) is None
    assert credentials.spend_ticket("the-token", "ws") is None


def test_tickets_and_keys_do_not_grow_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TICKETS", 2)
    monkeypatch.setattr(module, "MAX_SESSION_KEYS", 2)
    credentials = make()
    tickets = [credentials.mint_ticket("ws") for _ in range(3)]
    keys = [credentials.new_session_key({"read"}) for _ in range(3)]
    assert [credentials.spend_ticket(each, "ws") is None for each in tickets] == [
        True,
        False,
        False,
    ]
    assert [credentials.check_bearer(each) is None for each in keys] == [True, False, False]


def test_the_token_is_not_in_the_object_s_name() -> None:
    assert "the-token" not in repr(make())


def test_a_log_may_name_a_caller_without_its_secret() -> None:
    credentials = make()
    keys = [credentials.new_session_key({"read"}) for _ in range(2)]
    names = [credentials.name_of(key) for key in keys]
    assert credentials.name_of("the-token") == "the token"
    assert len(set(names)) == 2
    assert all(name.startswith("page ") and len(name) == 13 for name in names)
    assert not any(name[5:] in key for name, key in zip(names, keys, strict=True))
