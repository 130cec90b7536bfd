"""The text of a page."""

from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.tools.web_text import decode, readable

PAGE = """<!doctype html><html><head><title> A  page </title><style>p{}</style>
<script>var x = "<p>no</p>";</script></head><body>
<nav><a href="/home">Home</a> <a href="#top">Top</a> <a href="javascript:x()">Run</a></nav>
<h1>Head <em>line</em></h1><p>One
 two&nbsp;&amp; three.<br>Next</p>
<ul><li>first</li><li>second <code>x &lt; y</code></li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre>a
  b</pre><noscript>hidden</noscript><svg><text>no</text></svg></body></html>"""


def test_what_a_person_would_read_is_left() -> None:
    assert readable(PAGE, "https://a.example/dir/") == (
        "# A page\n\n[Home](https://a.example/home) Top Run\n\n# Head line\n\nOne two & three.\n"
        "Next\n\n- first\n- second `x < y`\n\n| A | B\n| 1 | 2\n\n```\na\n  b\n```"
    )


def test_broken_pages_are_read_as_far_as_they_go() -> None:
    assert readable("<p>a<div>b</span></p>c<script>", "http://x/") == "a\n\nb\n\nc"
    assert readable("plain & simple", "http://x/") == "plain & simple"
    assert readable("<li>a<li>b", "http://x/") == "- a\n- b"


@given(st.text(st.sampled_from("<>/abpre h=\"'&;!-[]x"), max_size=80))
def test_any_text_is_taken(text: str) -> None:
    readable(text, "http://x.example/")


def test_the_encoding_is_what_mark_header_or_page_say() -> None:
    assert decode("é".encode("latin-1"), "text/html; charset=ISO-8859-1") == "é"
    assert decode(b'<meta charset="latin-1">\xe9', "text/html").endswith("é")
    assert decode("é".encode(), "text/html") == "é"
    assert decode("\ufeffé".encode(), "text/html; charset=latin-1") == "é"
    assert decode("é".encode("utf-16"), "") == "é"
    assert decode(b"\xff", "text/plain; charset=nonsense") == "\ufffd"
    assert decode(b"a", "text/plain; charset=rot13") == "a"
