"""Patterns of a command's words: the part of a shell rule in brackets.

`git status` is these words and no more; `npm run *` is every command that begins with these words
(`npm run:*` means the same); a `*` inside a word stands for any characters of that word. Quotes
and backslashes work as in a shell and make a `*` mean itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_OPERATORS = frozenset(";&|<>()$`\n")
Marked = list[tuple[str, bool]]
"""Characters, each with whether it was quoted."""


class PatternError(ValueError):
    """A pattern that means nothing; its text says why."""


@dataclass(slots=True, frozen=True)
class Word:
    """One word of a pattern."""

    text: str
    glob: re.Pattern[str] | None = None

    def matches(self, token: str) -> bool:
        """Tell whether a word of a command is meant."""
        return self.glob.fullmatch(token) is not None if self.glob else token == self.text


@dataclass(slots=True, frozen=True)
class CommandPattern:
    """A parsed pattern."""

    words: tuple[Word, ...]
    is_prefix: bool
    """More words may follow; always so when `words` is empty."""

    def matched_words(self, argv: Sequence[str]) -> int | None:
        """Count the words the pattern itself names, None when it does not match.

        The rest, if any, is what its trailing `*` let in.
        """
        count = len(self.words)
        if len(argv) < count or (len(argv) > count and not self.is_prefix):
            return None
        if not all(word.matches(token) for word, token in zip(self.words, argv, strict=False)):
            return None
        if self.words and self.words[0].glob and "/" in argv[0]:
            return None  # a program by path is only ever meant by naming the path
        return count


def parse_pattern(spec: str) -> CommandPattern:
    """Read a pattern.

    Raises:
        PatternError: it is empty, has an open quote or holds a shell operator.
    """
    tokens = _split(spec)
    if not tokens:
        raise PatternError("is empty")
    is_prefix = False
    last = tokens[-1]
    if last == [("*", False)]:
        tokens.pop()
        is_prefix = True
    elif last[-2:] == [(":", False), ("*", False)]:
        tokens[-1] = last[:-2]
        is_prefix = True
    return CommandPattern(tuple(_word(token) for token in tokens if token), is_prefix)


def _word(token: Marked) -> Word:
    text = "".join(char for char, _ in token)
    if ("*", False) not in token:
        return Word(text)
    pieces = [".*" if (char, quoted) == ("*", False) else re.escape(char) for char, quoted in token]
    return Word(text, re.compile("".join(pieces), re.DOTALL))


def _split(spec: str) -> list[Marked]:
    tokens: list[Marked] = []
    current: Marked | None = None
    quote = ""
    chars = iter(spec)
    for char in chars:
        if not quote and char.isspace() and char != "\n":
            if current is not None:
                tokens.append(current)
            current = None
            continue
        if current is None:
            current = []
        if char == quote or (not quote and char in "'\""):
            quote = "" if quote else char
        elif char == "\\" and quote != "'":
            current.extend(_escaped(next(chars, ""), quote))
        elif not quote and char in _OPERATORS:
            raise PatternError(f"holds {char!r}: a rule is one command, without shell operators")
        else:
            current.append((char, bool(quote)))
    if quote:
        raise PatternError(f"has no closing {quote}")
    if current is not None:
        tokens.append(current)
    return tokens


def _escaped(char: str, quote: str) -> Marked:
    """Give what a backslash and the character after it mean."""
    if not char:
        raise PatternError("ends with a backslash")
    if quote and char not in '$`"\\':
        return [("\\", True), (char, True)]
    return [(char, True)]
