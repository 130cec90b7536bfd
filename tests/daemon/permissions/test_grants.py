"""What was allowed for a session: what it covers, how it is shown and taken back."""

from lararium_daemon.permissions.grants import GrantBook, SessionGrants
from lararium_daemon.protocol.ids import SessionId

ONE, TWO = SessionId("ses_1"), SessionId("ses_2")


def test_a_command_is_granted_as_it_was_shown_and_no_other() -> None:
    grants = SessionGrants()
    grants.add("Bash", shown="/w\nnpm test", path="/w")

    assert grants.covers_shown("Bash", "/w\nnpm test")
    assert not grants.covers_shown("Bash", "/w\nnpm test ")
    assert not grants.covers_edit("/w")


def test_an_edit_is_granted_by_its_file_and_a_page_by_its_host() -> None:
    grants = SessionGrants()
    grants.add("Edit", shown="/w/a\n+1", path="/w/a")
    grants.add("WebFetch", shown="https://a.example/x", host="a.example")

    assert grants.covers_edit("/w/a")
    assert grants.covers_host("a.example")
    assert [each.allowed for each in grants.view(ONE)] == ["/w/a", "a.example"]


def test_nothing_is_granted_by_an_empty_name() -> None:
    grants = SessionGrants()
    grants.add("Bash", shown="")

    assert not grants.covers_shown("Bash", "")
    assert not grants.covers_edit("")
    assert not grants.covers_host("")


def test_a_grant_that_is_taken_back_covers_nothing_any_more() -> None:
    book = GrantBook()
    book.of(ONE).add("Edit", shown="/w/a\n+1", path="/w/a")
    book.of(TWO).add("Bash", shown="/w\nls")
    first, second = book.items()
    assert (first.session_id, second.session_id) == (ONE, TWO)

    assert book.remove(first.id)

    assert not book.of(ONE).covers_edit("/w/a")
    assert not book.of(ONE).covers_shown("Edit", "/w/a\n+1")
    assert book.items() == [second]
    assert not book.remove(first.id)


def test_a_session_that_is_gone_takes_its_grants_along() -> None:
    book = GrantBook()
    book.of(ONE).add("Bash", shown="/w\nls")
    book.forget(ONE)

    assert book.items() == []
