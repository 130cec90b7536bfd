"""How deny and ask rules meet a command: generously, so that another spelling does not slip by.

A rule forbids the program however it is reached (by path, through a wrapper), with the rule's
options in any spelling and order and its other words first. `Bash(git push)` forbids what begins
so, with or without a trailing `*`. What only looks like a match is `suspected`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lararium_daemon.permissions.programs import program_name
from lararium_daemon.permissions.rules import Rule
from lararium_daemon.permissions.shell_words import DYNAMIC
from lararium_daemon.permissions.token_pattern import CommandPattern, Word
from lararium_daemon.permissions.wrapped import Argv, possible_commands

Hit = Literal["matched", "suspected"]

_LONG_FORMS: dict[str, dict[str, str]] = {
    "rm": {"--recursive": "r", "--force": "f", "--dir": "d", "--verbose": "v"},
    "cp": {"--recursive": "r", "--force": "f", "--archive": "a"},
    "mv": {"--force": "f"},
    "chmod": {"--recursive": "R"},
    "chown": {"--recursive": "R"},
    "git": {"--force": "f", "--delete": "d", "--all": "a"},
    "kill": {"--signal": "s"},
}
_SAME_LETTERS = {"rm": {"R": "r"}, "cp": {"R": "r"}}
_OPTIONS_WITH_VALUE: dict[str, frozenset[str]] = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}),
    "docker": frozenset({"-H", "--host", "-c", "--context", "--config", "-l", "--log-level"}),
    "npm": frozenset({"--prefix", "-C", "-w", "--workspace", "--userconfig"}),
    "kubectl": frozenset({"-n", "--namespace", "--context", "--kubeconfig"}),
}
"""Options before the subcommand that take the next word."""


def find_forbidding(rules: Sequence[Rule], commands: Sequence[Argv]) -> tuple[Rule, Hit] | None:
    """Find the first rule that forbids one of these commands; a match goes before a suspicion."""
    if not rules:
        return None
    possible, is_all = possible_commands(commands)
    inner = [_Shape.of(argv) for argv in possible]
    suspected: tuple[Rule, Hit] | None = None if is_all else (rules[0], "suspected")
    for rule in rules:
        if rule.command is None:
            continue
        hits = (
            {_meet(rule.command, shape) for shape in inner} if rule.command.words else {"matched"}
        )
        if "matched" in hits:
            return rule, "matched"
        if "suspected" in hits and suspected is None:
            suspected = rule, "suspected"
    return suspected


def find_named(rules: Sequence[Rule], words: set[str]) -> Rule | None:
    """Find a rule whose program and subcommand stand somewhere in a text that cannot be parsed."""
    for rule in rules:
        if rule.command is None or not rule.command.words:
            continue
        program, *rest = rule.command.words
        named = [program_name((program.text,)), *(w.text for w in rest if w.text[:1] != "-")]
        if all(word in words for word in named):
            return rule
    return None


@dataclass(slots=True)
class _Shape:
    """A command's program, options and other words, spelled one way."""

    argv: Argv
    program: str
    options: set[str] = field(default_factory=set[str])
    others: list[str] = field(default_factory=list[str])
    has_early_options: bool = False
    """Options stand before the first other word, so it may be an option's value."""

    @classmethod
    def of(cls, argv: Argv) -> "_Shape":
        shape = cls(argv, program_name(argv))
        takes_value = _OPTIONS_WITH_VALUE.get(shape.program, frozenset())
        is_literal = False
        skip = False
        for token in argv[1:]:
            if skip:
                skip = False
            elif is_literal or not token.startswith("-") or len(token) == 1:
                shape.others.append(token)
            elif token in {"--"}:
                is_literal = True
            else:
                skip = token in takes_value and not shape.others
                shape.has_early_options = shape.has_early_options or not shape.others
                shape.options |= _spellings(shape.program, token)
        return shape


def _meet(pattern: CommandPattern, shape: _Shape) -> Hit | None:
    first = pattern.words[0]
    program = "".join(shape.argv[:1]) if "/" in first.text else shape.program
    if DYNAMIC in program:
        return None
    if not first.matches(program):
        return None
    options = [word for word in pattern.words[1:] if word.text.startswith("-")]
    others = [word for word in pattern.words[1:] if not word.text.startswith("-")]
    if not all(_has_option(word, shape) for word in options):
        return None
    if _begins_with(others, shape.others):
        return "matched"
    is_unclear = shape.has_early_options or any(DYNAMIC in token for token in shape.others)
    return "suspected" if is_unclear and _holds(others, shape.others) else None


def _has_option(word: Word, shape: _Shape) -> bool:
    if word.glob is not None:
        return any(word.matches(option) for option in shape.options)
    if word.text in shape.options:
        return True
    wanted = _spellings(shape.program, word.text)
    letters = {option for option in wanted if len(option) == 2}
    return bool(letters) and letters <= shape.options


def _begins_with(words: Sequence[Word], tokens: Sequence[str]) -> bool:
    if len(tokens) < len(words):
        return False
    return all(word.matches(token) for word, token in zip(words, tokens, strict=False))


def _holds(words: Sequence[Word], tokens: Sequence[str]) -> bool:
    """Tell whether the words occur among the tokens, in order; an unknown token may be any."""
    rest = iter(tokens)
    return all(any(DYNAMIC in token or word.matches(token) for token in rest) for word in words)


def _spellings(program: str, option: str) -> set[str]:
    """Give every spelling of an option token: `-rf` is `-r` and `-f`; `--forc` is `--force`."""
    name = option.partition("=")[0]
    found = {option, name}
    if name.startswith("--"):
        long_forms = _LONG_FORMS.get(program, {})
        short = {f"-{long_forms[form]}" for form in long_forms if form.startswith(name)}
        return found | short
    same = _SAME_LETTERS.get(program, {})
    return found | {f"-{same.get(letter, letter)}" for letter in name[1:]}
