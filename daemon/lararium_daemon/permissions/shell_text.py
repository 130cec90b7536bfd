"""Characters that a person does not see as what they are: such a command is always asked about."""

import unicodedata

MAX_COMMAND_CHARS = 10_000
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def why_unreadable(command: str) -> str:
    """Name what in the text alone forbids a judgement, "" when nothing does."""
    if len(command) > MAX_COMMAND_CHARS:
        return f"more than {MAX_COMMAND_CHARS} characters"
    if "\\\n" in command:
        return "a line that a backslash continues"
    if command.isascii() and command.isprintable():
        return ""
    for char in command:
        if char in "\n\t" or (char.isascii() and char.isprintable()):
            continue
        category = unicodedata.category(char)
        if category in _HIDDEN_CATEGORIES or (category == "Zs" and char != " "):
            return f"an invisible or confusing character (U+{ord(char):04X})"
    return ""
