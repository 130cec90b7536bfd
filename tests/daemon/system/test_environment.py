"""What a command of the agent sees of the person's environment."""

import pytest

from lararium_daemon.system.environment import (
    child_environment,
    daemon_environment,
    is_secret_name,
    read_environment,
)


def test_a_command_sees_no_secret_and_everything_else() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-test-1",
        "OUR_DAEMON_TOKEN": "t0k",
        "LARARIUM_SOMETHING": "inner",
        "LARARIUM_HOME": "/l",
        "PATH": "/bin",
        "HOME": "/h",
        "MY_APP_MODE": "dev",
    }

    seen = child_environment(environment, {"LARARIUM_CALL": "call_1"})

    assert {name: seen[name] for name in ("PATH", "HOME", "MY_APP_MODE")} == {
        "PATH": "/bin",
        "HOME": "/h",
        "MY_APP_MODE": "dev",
    }
    assert seen["LARARIUM_CALL"] == "call_1"
    assert seen["LARARIUM_HOME"] == "/l"
    assert "LARARIUM_SOMETHING" not in seen
    assert not {"sk-test-1", "t0k"} & set(seen.values())


def test_a_secret_repeated_under_another_name_is_dropped_too() -> None:
    secret = "sk-0123456789abcdef"
    seen = child_environment({"OPENAI_API_KEY": secret, "MY_HEADER": f"Bearer {secret}"}, {})
    assert not [name for name, value in seen.items() if secret in value]


def test_a_short_secret_does_not_take_unrelated_variables_with_it() -> None:
    seen = child_environment({"DB_PASSWORD": "test", "MODE": "test", "HOME": "/home/test"}, {})
    assert seen["MODE"] == "test"
    assert seen["HOME"] == "/home/test"


def test_nothing_waits_for_a_person() -> None:
    seen = child_environment({"EDITOR": "vim", "PAGER": "less", "GIT_PAGER": "less"}, {})
    assert (seen["PAGER"], seen["GIT_PAGER"], seen["GIT_EDITOR"]) == ("cat", "cat", "false")
    assert (seen["EDITOR"], seen["GIT_TERMINAL_PROMPT"]) == ("false", "0")


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_ADMIN_KEY", "AZURE_OPENAI_KEY",
        "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "GITHUB_TOKEN",
        "GH_TOKEN", "NPM_TOKEN", "PGPASSWORD", "MYSQL_PWD", "SECRET_KEY", "CLIENT_SECRET",
        "DB_PASSWORD", "github_token", "SENTRY_AUTH_TOKEN", "GPG_PASSPHRASE", "APIKEY",
        "CLAUDE_CODE_OAUTH_TOKEN", "STRIPE_SECRET_KEY_TEST",
    ],
)  # fmt: skip
def test_the_name_of_a_secret_is_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "PATH", "HOME", "MY_APP_MODE", "SSH_AUTH_SOCK", "MAX_TOKENS", "TOKENIZERS_PARALLELISM",
        "KEYBOARD", "DB_PASSWORD_FILE", "PASSWORD_STORE_DIR", "XDG_SESSION_ID", "LANG",
        "OPENAI_BASE_URL", "MONKEY", "SORT_KEY",
    ],
)  # fmt: skip
def test_the_name_of_an_ordinary_variable_is_left_alone(name: str) -> None:
    assert not is_secret_name(name)


def test_a_daemon_started_by_a_tool_call_does_not_carry_its_mark() -> None:
    assert daemon_environment({"LARARIUM_CALL": "call_1", "OPENAI_API_KEY": "k"}) == {
        "OPENAI_API_KEY": "k"
    }


def test_the_environment_is_a_copy_that_cannot_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEEN", "before")
    environment = read_environment()
    monkeypatch.setenv("SEEN", "after")
    assert environment["SEEN"] == "before"
    assert not hasattr(environment, "__setitem__")


def test_what_a_service_manager_says_to_the_guardian_reaches_no_tool() -> None:
    given = {
        "NOTIFY_SOCKET": "/run/notify",
        "WATCHDOG_USEC": "1",
        "LISTEN_FDS": "1",
        "PATH": "/bin",
    }
    seen = child_environment(given, {})
    assert seen["PATH"] == "/bin"
    assert not set(given) & set(seen) - {"PATH"}
