import pytest

from lararium_daemon.providers.profiles import Profile, Secret, choose_profile
from lararium_daemon.settings import ProviderSettings, Settings

KEY = "sk-test-0123456789"
LOCAL = "http://127.0.0.1:11434/v1"


def chosen(environment: dict[str, str], **provider: object) -> Profile:
    settings = Settings(provider=ProviderSettings.model_validate(provider))
    profile = choose_profile(settings, environment)
    assert profile is not None
    return profile


def test_without_key_and_server_there_is_no_profile() -> None:
    assert choose_profile(Settings(), {}) is None
    assert choose_profile(Settings(), {"OPENAI_MODEL": "m", "OPENAI_API_KEY": "  "}) is None


def test_a_key_alone_is_openai() -> None:
    profile = chosen({"OPENAI_API_KEY": f"{KEY}\n", "OPENAI_MODEL": "m"})
    assert (profile.base_url, profile.model) == ("https://api.openai.com/v1", "m")
    assert profile.api_key.reveal() == KEY
    assert (profile.name, profile.source, profile.problem) == ("api.openai.com", "environment", "")


def test_a_server_on_this_machine_needs_no_key() -> None:
    profile = chosen({"OPENAI_BASE_URL": LOCAL})
    assert (profile.is_local, profile.problem, profile.notice) == (True, "", "")
    assert not profile.api_key


def test_openai_without_a_key_says_how_to_get_on() -> None:
    profile = chosen({"OPENAI_BASE_URL": "https://api.openai.com/v1/"})
    assert "OPENAI_API_KEY" in profile.problem
    assert "kept" in profile.problem


def test_settings_win_over_the_environment_field_by_field() -> None:
    environment = {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "m"}
    profile = chosen(environment, model="mine", name="Desk", context_window=8192)
    assert (profile.base_url, profile.model, profile.name) == (LOCAL, "mine", "Desk")
    assert (profile.context_window, profile.source) == (8192, "environment")
    profile = chosen({"OPENAI_API_KEY": KEY}, base_url="https://models.example.com/v1")
    assert (profile.source, profile.api_key.reveal()) == ("settings", KEY)


def test_the_key_of_one_server_is_not_sent_to_another() -> None:
    environment = {"OPENAI_BASE_URL": "https://a.example.com/v1", "OPENAI_API_KEY": KEY}
    assert not chosen(environment, base_url="https://b.example.com/v1").api_key
    assert not chosen(environment, base_url="http://a.example.com/v1").api_key
    assert chosen(environment, base_url="https://a.example.com/other").api_key


def test_an_unencrypted_way_to_another_machine_is_said_before_it_is_used() -> None:
    profile = chosen({"OPENAI_BASE_URL": "http://10.0.0.7:8000/v1", "OPENAI_API_KEY": KEY})
    assert profile.problem == ""
    assert "the key" in profile.notice
    assert "http://" in profile.notice
    assert KEY not in profile.notice
    assert chosen({"OPENAI_BASE_URL": "https://10.0.0.7:8000/v1"}).notice == ""


@pytest.mark.parametrize(
    "pasted", [LOCAL, f"{LOCAL}/", f"{LOCAL}/chat/completions", f"  {LOCAL}/chat/completions/ "]
)
def test_what_people_paste_along_is_dropped(pasted: str) -> None:
    assert chosen({"OPENAI_BASE_URL": pasted}).base_url == LOCAL


@pytest.mark.parametrize(
    "address",
    [
        "localhost:11434/v1",
        "ftp://127.0.0.1/v1",
        "http:///v1",
        "http://127.0.0.1:port/v1",
        "http://[::1/v1",
        "https://user:secret@example.com/v1",
        "https://example.com/v1?key=secret",
        "nonsense",
    ],
)
def test_an_address_that_cannot_be_used_is_a_problem_that_names_its_variable(address: str) -> None:
    profile = chosen({"OPENAI_BASE_URL": address, "OPENAI_API_KEY": KEY})
    assert "OPENAI_BASE_URL" in profile.problem
    assert "secret" not in profile.problem
    assert "provider.base_url" in chosen({}, base_url=address).problem


@pytest.mark.parametrize("key", ["sk-“quoted”", "sk-a\nb", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_a_problem(key: str) -> None:
    profile = chosen({"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY" in profile.problem
    assert key not in profile.problem


def test_a_key_does_not_show_itself() -> None:
    profile = chosen({"OPENAI_API_KEY": KEY})
    assert KEY not in repr(profile)
    assert KEY not in f"{profile.api_key} {profile}"
    assert profile.api_key.redact(f"bad key {KEY}!") == "bad key •••!"
    assert Secret("").redact("as it is") == "as it is"
