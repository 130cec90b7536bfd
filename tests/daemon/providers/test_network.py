import pytest

from lararium_daemon.providers.network import proxy_for

PROXY = "http://127.0.0.1:9"
ALL = {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "ALL_PROXY": PROXY}


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/v1",
        "http://127.9.9.9/v1",
        "http://localhost:11434/v1",
        "http://models.localhost/v1",
        "http://[::1]:8080/v1",
        "https://127.0.0.1/v1",
    ],
)
def test_loopback_never_goes_through_a_proxy(url: str) -> None:
    assert proxy_for(url, ALL) is None


@pytest.mark.parametrize("url", ["http://10.0.0.7/v1", "https://api.example.com/v1"])
def test_everything_else_does(url: str) -> None:
    assert proxy_for(url, ALL) == PROXY
    assert proxy_for(url, {}) is None


def test_the_scheme_chooses_the_variable_and_lower_case_wins() -> None:
    environment = {"https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:1", "http_proxy": "c:1"}
    assert proxy_for("https://api.example.com", environment) == "http://a:1"
    assert proxy_for("http://api.example.com", environment) == "http://c:1"
    assert proxy_for("https://api.example.com", {"all_proxy": "http://d:1"}) == "http://d:1"


@pytest.mark.parametrize(
    ("no_proxy", "url", "is_straight"),
    [
        ("*", "https://api.example.com", True),
        ("example.com", "https://api.example.com", True),
        (".example.com", "https://api.example.com", True),
        ("*.example.com", "https://api.example.com", True),
        ("API.Example.com", "https://api.example.com", True),
        ("ample.com", "https://api.example.com", False),
        ("other.com, api.example.com", "https://api.example.com", True),
        ("api.example.com:443", "https://api.example.com", True),
        ("api.example.com:8443", "https://api.example.com", False),
        ("10.0.0.0/8", "http://10.1.2.3:80", True),
        ("10.0.0.0/8", "http://11.1.2.3:80", False),
        ("10.1.2.3", "http://10.1.2.3:80", True),
        ("fd00::/8", "http://[fd00::5]:80", True),
        ("[fd00::5]:80", "http://[fd00::5]:80", True),
        (" , ,", "https://api.example.com", False),
    ],
)
def test_no_proxy_is_read_with_names_ports_and_blocks(
    no_proxy: str, url: str, is_straight: bool
) -> None:
    assert (proxy_for(url, {**ALL, "NO_PROXY": no_proxy}) is None) is is_straight
