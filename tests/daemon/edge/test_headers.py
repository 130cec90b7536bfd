"""The policy that stands between a page and what a model writes into it."""

from lararium_daemon.edge.headers import PageSources, page_csp, with_security_headers


def test_a_daemon_s_page_loads_from_itself_and_is_framed_by_the_hub() -> None:
    sources = PageSources(4321, "http://127.0.0.1:4567", frames_loopback=False)
    assert page_csp(sources, "N").split("; ") == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'nonce-N'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self' ws://127.0.0.1:4321",
        "worker-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors http://127.0.0.1:4567",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]


def test_the_hub_s_page_frames_daemons_and_is_framed_by_nobody() -> None:
    policy = page_csp(PageSources(4567, "", frames_loopback=True), "N")
    assert "frame-ancestors 'none'" in policy
    assert "frame-src http://127.0.0.1:*" in policy


def test_a_response_keeps_its_own_policy_and_caching() -> None:
    own = [(b"Content-Security-Policy", b"own"), (b"cache-control", b"public")]
    named = [name.lower() for name, _ in with_security_headers(own)]
    assert named.count(b"content-security-policy") == 1
    assert named.count(b"cache-control") == 1
    assert b"x-content-type-options" in named
