"""One word of a parsed command, with its quotes removed as bash removes them.

A word is *fixed* when bash passes exactly this text: no expansion, glob, brace list or tilde. What
is not fixed still gets the best text there is, because deny rules look at it.
"""

import re
from dataclasses import dataclass

from tree_sitter import Node

DYNAMIC = "\0"
"""Stands for text that only bash would know; no argument can hold it."""

_GLOB = frozenset("*?[")
_TILDE = re.compile(r"(?:^|[=:])~")
_EXPANDS_IN_QUOTES = re.compile(r"`|\$(?=[\w({'\"@*#?!$-])")


@dataclass(slots=True, frozen=True)
class ShellWord:
    """What a word means."""

    text: str
    is_fixed: bool


def read_word(node: Node) -> ShellWord:
    """Give the meaning of an argument node."""
    parts = node.children if node.type == "concatenation" else [node]
    text = ""
    bare = ""
    is_fixed = True
    end = node.start_byte
    for part in parts:
        # Between the parts of one word there is nothing; else the tree is not what bash reads.
        is_fixed = is_fixed and part.start_byte == end
        end = part.end_byte
        piece, piece_bare, piece_fixed = _read_piece(part)
        text += piece
        bare += piece_bare
        is_fixed = is_fixed and piece_fixed
    return ShellWord(text, is_fixed and end == node.end_byte and not _expands(bare))


def source(node: Node) -> str:
    """Give the text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def _expands(bare: str) -> bool:
    """Tell whether bash would expand this; quoted characters stand as DYNAMIC."""
    if _GLOB.intersection(bare) or _TILDE.search(bare):
        return True
    return "{" in bare and ("," in bare or ".." in bare)


def _read_piece(node: Node) -> tuple[str, str, bool]:
    """Give text, its unquoted part (DYNAMIC in place of each quoted character), and if fixed."""
    raw = source(node)
    match node.type:
        case "word" | "number" | "variable_name":
            text, bare = _unescape(raw)
            return text, bare, not node.named_children
        case "raw_string":
            return raw[1:-1], DYNAMIC, True
        case "string":
            return _read_string(node, raw)
        case "command_name":
            inner = read_word(node.children[0])
            return inner.text, DYNAMIC, inner.is_fixed
        case _:
            return DYNAMIC, "", False


def _read_string(node: Node, raw: str) -> tuple[str, str, bool]:
    body = raw[1:-1]
    is_plain = all(child.type == "string_content" for child in node.named_children)
    text = re.sub(r'\\([$`"\\])', lambda found: found[1], body)
    unescaped = re.sub(r"\\.", "", body, flags=re.DOTALL)
    is_fixed = is_plain and not _EXPANDS_IN_QUOTES.search(unescaped)
    if not is_plain:
        text = DYNAMIC
    return text, DYNAMIC, is_fixed


def _unescape(raw: str) -> tuple[str, str]:
    """Remove backslashes outside quotes."""
    if "\\" not in raw:
        return raw, raw
    text: list[str] = []
    bare: list[str] = []
    chars = iter(raw)
    for char in chars:
        if char == "\\":
            text.append(next(chars, ""))
            bare.append(DYNAMIC)
        else:
            text.append(char)
            bare.append(char)
    return "".join(text), "".join(bare)
