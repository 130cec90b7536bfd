"""What a program wrote to its terminal, as plain text.

Escape sequences are dropped whole, a progress line that was drawn over itself keeps its last
state, and what is no text is described instead of shown.
"""

import re

_ESCAPES = re.compile(
    r"""
    (?:\x1b\[|\x9b) [0-?]* [ -/]* [@-~]?              # CSI: colours, cursor, erase, repeat
  | (?:\x1b\]|\x9d) [^\x07\x1b\x9c]* (?:\x07|\x1b\\|\x9c)?   # OSC: titles, links, clipboard
  | \x1b[PX^_] [^\x1b\x9c]* (?:\x1b\\|\x9c)?          # DCS, SOS, PM, APC
  | \x1b [ -/]* [0-~]?                                # the rest
    """,
    re.VERBOSE,
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SAMPLE_BYTES = 64 * 1024
_HEX_BYTES = 256
_MOST_INVALID = 0.10


def clean(text: str) -> str:
    """Give decoded output as plain text with LF line ends."""
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _ESCAPES.sub("", text)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _CONTROLS.sub("", text)


def decode(data: bytes) -> str:
    """Decode output; bytes that are no UTF-8 become U+FFFD."""
    return data.decode("utf-8", "replace")


def is_binary(sample: bytes) -> bool:
    """Tell whether output is no text: a NUL, or more than a tenth that is no UTF-8."""
    sample = sample[:_SAMPLE_BYTES]
    if b"\0" in sample:
        return True
    if sample.isascii():
        return False
    # A character cut off at the sample's end is no error, so up to three bytes are forgiven.
    text = sample.decode("utf-8", "replace")
    return text.count("\ufffd") > max(len(text) * _MOST_INVALID, 3)


def describe_binary(head: bytes, total: int) -> str:
    """Say what binary output was instead of showing it."""
    shown = head[:_HEX_BYTES]
    lines = [shown[i : i + 32].hex(" ") for i in range(0, len(shown), 32)]
    return f"[binary output, {total:,} bytes; the first {len(shown)} in hex]\n" + "\n".join(lines)


def _last_state(line: str) -> str:
    """Give what a line that was drawn over with carriage returns showed at last."""
    return next((part for part in reversed(line.split("\r")) if part), "")
