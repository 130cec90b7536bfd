"""The readable text of a web page: headings, paragraphs, lists, tables, code and links."""

import codecs
import re
from html.parser import HTMLParser
from urllib.parse import urljoin

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object", "head"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol"}
    | {"table", "tr", "blockquote", "form", "fieldset", "dl", "dt", "dd", "figure", "hr", "h1"}
    | {"h2", "h3", "h4", "h5", "h6", "pre", "details", "summary", "address", "body", "title"}
)
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr", "col", "embed"})
_META = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)


def decode(body: bytes, content_type: str) -> str:
    """Give a body's text by its mark, its header or its own word, else as UTF-8; never fails."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if body.startswith(mark):
            return body.decode(name, "replace")
    said = _CHARSET.search(content_type)
    meta = _META.search(body[:4096])
    name = said[1] if said else meta[1].decode("ascii") if meta else "utf-8"
    try:
        return body.decode(name, "replace")
    except (LookupError, UnicodeError):
        return body.decode("utf-8", "replace")


def readable(html: str, url: str) -> str:
    """Give the text of a page; links relative to `url` are made whole."""
    reader = _Reader(url)
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self._url = url
        self._out: list[str] = []
        self._silent: list[str] = []
        self._links: list[str] = []
        self._pre = 0
        self.title = ""
        self._in_title = False

    def text(self) -> str:
        body = "".join(self._out)
        body = re.sub(r"[ \t]+\n", "\n", body)
        body = re.sub(r"\n{3,}", "\n\n", body).strip()
        title = " ".join(self.title.split())
        return f"# {title}\n\n{body}" if title and not body.startswith(f"# {title}\n") else body

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        if tag in _SILENT:
            self._silent.append(tag)
        if self._silent:
            return
        if tag == "br":
            self._put("\n")
        elif tag == "li":
            self._put("\n- ")
        elif tag in {"td", "th"}:
            self._put("| " if self._last().endswith("\n") else " | ")
        elif tag == "a":
            self._links.append(self._link(dict(attrs).get("href")))
            self._put("[" if self._links[-1] else "")
        elif tag == "code" and not self._pre:
            self._put("`")
        elif tag in _BLOCKS:
            self._open_block(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
            return
        if self._silent or tag in _VOID:
            return
        if tag == "a" and self._links:
            link = self._links.pop()
            self._put(f"]({link})" if link else "")
        elif tag == "code" and not self._pre:
            self._put("`")
        elif tag == "pre" and self._pre:
            self._pre -= 1
            self._put("\n```\n\n")
        elif tag in _BLOCKS:
            self._put("\n" if tag in {"tr", "dt", "dd"} else "\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self._put(data if self._pre else self._collapsed(data))

    def _open_block(self, tag: str) -> None:
        if tag == "pre":
            self._pre += 1
            self._put("\n\n```\n")
        elif re.fullmatch(r"h[1-6]", tag):
            self._put(f"\n\n{'#' * int(tag[1])} ")
        elif tag not in {"tr", "dt", "dd"}:
            self._put("\n\n")
        elif not self._last().endswith("\n"):
            self._put("\n")

    def _collapsed(self, data: str) -> str:
        text = re.sub(r"\s+", " ", data)
        return text.lstrip(" ") if self._last().endswith(("\n", " ")) else text

    def _last(self) -> str:
        return self._out[-1] if self._out else "\n"

    def _link(self, href: str | None) -> str:
        if not href or href.startswith(("#", "javascript:", "data:", "mailto:")):
            return ""
        try:
            return urljoin(self._url, href.strip())
        except ValueError:
            return ""

    def _put(self, text: str) -> None:
        if text:
            self._out.append(text)
