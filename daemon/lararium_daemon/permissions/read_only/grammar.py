"""How the words of a program are read when only what is known to be harmless may pass.

An allow-list: an option that a grammar does not name, an abbreviation of one it does, or a value
where none belongs makes the whole command unknown. What is left are operands, and a grammar says
which of them are files.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Argv = tuple[str, ...]
Operands = Literal["contents", "names", "texts", "expression", "none"]
"""What operands are: files that are read, files of which only name and facts are shown, plain text,
one expression followed by files that are read, or nothing at all."""


@dataclass(slots=True, frozen=True)
class Use:
    """What a command that only reads looks at."""

    contents: Argv = ()
    """Files that it shows."""
    names: Argv = ()
    """Files of which it shows name, size and the like."""
    swept: Argv = ()
    """Folders in which it shows every file."""
    follows: bool = False
    """It follows the links in these folders."""
    is_git: bool = False
    """It obeys the configuration of the repository it runs in."""


@dataclass(slots=True, frozen=True)
class Unknown:
    """Why nobody can say what a command does."""

    reason: str


@dataclass(slots=True, frozen=True)
class Words:
    """A program's words, told apart."""

    options: tuple[tuple[str, str], ...]
    """In order: the option as in the grammar (`-n`, `--lines`) and its value, "" without one."""
    operands: Argv

    def has(self, *names: str) -> bool:
        """Tell whether one of these options was given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[str]:
        """Give the values of these options."""
        return [value for name, value in self.options if name in names]


@dataclass(slots=True, frozen=True)
class Grammar:
    """The harmless words of one program."""

    flags: str = ""
    """Short options without a value."""
    valued: str = ""
    """Short options that take a value, glued or as the next word."""
    optional: str = ""
    """Short options that may carry a glued value."""
    long: str = ""
    """Long options without a value, separated by blanks, without dashes."""
    long_valued: str = ""
    """Long options that take a value, after `=` or as the next word."""
    long_optional: str = ""
    """Long options that may carry a value after `=`."""
    has_numbers: bool = False
    """`-20` is an option."""
    operands: Operands = "contents"
    most: int | None = None
    """How many operands there may be."""
    check: Callable[[Words], str] | None = None
    """Looks at the words; says what speaks against them, "" when nothing does."""
    expression_options: Argv = ()
    """Options that stand in for the expression."""

    def use(self, argv: Argv) -> Use | Unknown:
        """Say what a command looks at."""
        words = self.read(argv)
        if isinstance(words, Unknown):
            return words
        if reason := self.check(words) if self.check else "":
            return Unknown(reason)
        operands = words.operands
        match self.operands:
            case "contents":
                return Use(contents=operands)
            case "names":
                return Use(names=operands)
            case "expression" if not words.has(*self.expression_options):
                return Use(contents=operands[1:])
            case "expression":
                return Use(contents=operands)
            case "texts" | "none":
                return Use()

    def read(self, argv: Argv) -> Words | Unknown:
        """Tell options and operands apart."""
        reader = _Reader(self, argv)
        if reason := reader.read():
            return Unknown(reason)
        operands = tuple(reader.operands)
        most = 0 if self.operands == "none" else self.most
        if most is not None and len(operands) > most:
            return Unknown(f"{operands[most]} is more than {argv[0]} needs for reading")
        return Words(tuple(reader.options), operands)


class _Reader:
    def __init__(self, grammar: Grammar, argv: Argv) -> None:
        self._grammar = grammar
        self._argv = argv
        self._place = 1
        self.options: list[tuple[str, str]] = []
        self.operands: list[str] = []

    def read(self) -> str:
        """Read all words; give the reason why one is unknown."""
        while self._place < len(self._argv):
            token = self._argv[self._place]
            self._place += 1
            if token == "--":  # noqa: S105 - no password
                self.operands.extend(self._argv[self._place :])
                return ""
            if token == "-" or not token.startswith("-"):  # noqa: S105 - no password
                self.operands.append(token)
            elif not (self._long(token) if token.startswith("--") else self._short(token)):
                return f"{token.partition('=')[0]} is not known to be harmless"
        return ""

    def _long(self, token: str) -> bool:
        name, equals, value = token[2:].partition("=")
        grammar = self._grammar
        if not equals and name in grammar.long.split():
            return self._note(f"--{name}", "")
        if name in grammar.long_optional.split():
            return self._note(f"--{name}", value)
        if name in grammar.long_valued.split():
            found = value if equals else self._next()
            return found is not None and self._note(f"--{name}", found)
        return False

    def _short(self, token: str) -> bool:
        if self._grammar.has_numbers and re.fullmatch(r"-\d+", token):
            return self._note("-NUM", token[1:])
        rest = token[1:]
        while rest:
            letter, rest = rest[0], rest[1:]
            if letter in self._grammar.flags:
                self._note(f"-{letter}", "")
            elif letter in self._grammar.optional:
                return self._note(f"-{letter}", rest)
            elif letter in self._grammar.valued:
                value = rest or self._next()
                return value is not None and self._note(f"-{letter}", value)
            else:
                return False
        return True

    def _next(self) -> str | None:
        if self._place >= len(self._argv):
            return None
        self._place += 1
        return self._argv[self._place - 1]

    def _note(self, name: str, value: str) -> bool:
        self.options.append((name, value))
        return True
