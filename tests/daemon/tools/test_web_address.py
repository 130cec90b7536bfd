"""Which addresses of the web may be fetched."""

import ipaddress

import pytest

from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.web_address import (
    is_public,
    parse_address,
    public_number,
    refuse_private_name,
)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://Example.COM:443/a?b#c", "https://example.com/a?b"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://bücher.example/straße?q=ä", "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        ("https://example.com./x", "https://example.com/x"),
    ],
)
def test_an_address_is_read_one_way(text: str, url: str) -> None:
    assert parse_address(text).url == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
        "http:///x",
        "http://user:word@example.com/",
        "http://user@example.com/",
        "http://example.com/\r\nX: y",
        "http://exa mple.com/",
        "http://example.com\\@evil.example/",
        "http://example.com:99999/",
        "http://[::1/",
        "http://" + "a" * 9_000,
        "http://\udcff/",
    ],
)
def test_what_is_no_plain_web_address_is_refused(text: str) -> None:
    with pytest.raises(ToolFailure):
        parse_address(text)


PRIVATE = [
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1"),
    *("169.254.169.254", "192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1"),
    *("::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::"),
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
]


@pytest.mark.parametrize("number", PRIVATE)
def test_no_private_number_is_public_however_it_is_wrapped(number: str) -> None:
    assert not is_public(ipaddress.ip_address(number))


@pytest.mark.parametrize(
    "number", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "64:ff9b::101:101"]
)
def test_public_numbers_are(number: str) -> None:
    assert is_public(ipaddress.ip_address(number))


@pytest.mark.parametrize(
    "host",
    ["localhost", "a.localhost", "127.0.0.1", "[::1]", "printer.local", "x.internal", "10.1.2.3"],
)
def test_a_host_that_is_plainly_private_is_refused_before_anybody_is_asked(host: str) -> None:
    with pytest.raises(ToolFailure, match="private"):
        refuse_private_name(parse_address(f"http://{host}/"))


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.1", "017700000001", "name.example"])
@pytest.mark.parametrize("numbers", [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["fe80::1%eth0"], []])
def test_a_name_is_judged_by_every_number_it_leads_to(host: str, numbers: list[str]) -> None:
    with pytest.raises(ToolFailure, match="private"):
        public_number(parse_address(f"http://{host}/"), lambda name, port: numbers)


def test_a_host_that_is_not_there_says_so() -> None:
    def fail(name: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(ToolFailure, match="cannot be found"):
        public_number(parse_address("http://gone.example/"), fail)


def test_the_first_number_is_the_one_to_connect_to() -> None:
    found = public_number(
        parse_address("http://a.example/"), lambda name, port: ["1.1.1.1", "::1"][:1]
    )

    assert found == "1.1.1.1"
