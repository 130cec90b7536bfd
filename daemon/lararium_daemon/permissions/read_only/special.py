"""Programs whose words follow no common pattern: sed, ps, lsof, test, and asking for a version."""

import re

from lararium_daemon.permissions.read_only.grammar import Argv, Grammar, Unknown, Use

_SED = Grammar(
    "nEr",
    "e",
    long="quiet silent regexp-extended",
    long_valued="expression",
    operands="expression",
    expression_options=("-e", "--expression"),
)
_SED_PRINTS = re.compile(
    r"(?:\d+|\$)?(?:,\s*(?:\d+|\$))?!?[pdq=]"
    r"|/(?:[^/\\\n]|\\.)*/(?:,/(?:[^/\\\n]|\\.)*/)?!?[pd]"
    r"|s([/|#,:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI0-9]*"
)
"""Where sed and this differ about the end of a pattern, sed's rest is shorter: never another
command."""


def sed_use(argv: Argv) -> Use | Unknown:
    """Say what `sed` looks at, when its script prints and replaces only."""
    words = _SED.read(argv)
    if isinstance(words, Unknown):
        return words
    scripts = words.values("-e", "--expression") or list(words.operands[:1])
    commands = [part.strip() for script in scripts for part in script.split(";")]
    if not scripts or not all(_SED_PRINTS.fullmatch(command) for command in commands):
        return Unknown("its script does more than print and replace")
    has_expression = words.has("-e", "--expression")
    return Use(contents=words.operands if has_expression else words.operands[1:])


_PS_WORD = re.compile(r"-?[aux]{1,3}|-[aAdefFjly]{1,4}|--(?:no-headers|forest|headers)")
_PS_COLUMNS = re.compile(r"-[aAdefly]+o")
_PS_VALUED = frozenset({"-p", "-C", "-u", "-U", "-o", "--pid", "--sort", "--format"})


def ps_use(argv: Argv) -> Use | Unknown:
    """Say whether `ps` lists processes and not their environments (`ps e`)."""
    tokens = iter(argv[1:])
    for token in tokens:
        name, equals, _ = token.partition("=")
        if name in _PS_VALUED or _PS_COLUMNS.fullmatch(token):
            if not (equals and name.startswith("--")) and (equals or next(tokens, None) is None):
                return Unknown(f"{name} lacks its value")
        elif not _PS_WORD.fullmatch(token):
            return Unknown(f"{token} is not known to be harmless")
    return Use()


_LSOF_FLAGS = re.compile(r"-[nPtalUR]+|-s(?:TCP|UDP):\w+|-p\d+")
_ADDRESS = r"(?:4|6)?(?:TCP|UDP|tcp|udp)?(?:@[\w.\[\]-]+)?(?::[\w,-]+)?"
_LSOF_NETWORK = re.compile(rf"-[nPt]*i(?P<address>{_ADDRESS})")


def lsof_use(argv: Argv) -> Use | Unknown:
    """Say whether `lsof` looks at connections or one process."""
    tokens = list(argv[1:])
    is_narrow = False
    while tokens:
        token = tokens.pop(0)
        if match := _LSOF_NETWORK.fullmatch(token):
            is_narrow = True
            if not match["address"] and tokens and re.match(r"[:@46tTuU]", tokens[0]):
                token = tokens.pop(0)
                if not re.fullmatch(_ADDRESS, token):
                    return Unknown(f"{token} is no address")
        elif token == "-p" and tokens and re.fullmatch(r"[\d,]+", tokens[0]):  # noqa: S105
            is_narrow = True
            tokens.pop(0)
        elif not _LSOF_FLAGS.fullmatch(token):
            return Unknown(f"{token} is not known to be harmless")
    return Use() if is_narrow else Unknown("it would list every open file")


_XXD_VALUED = re.compile(r"-[cglos]")
_XXD_WORD = re.compile(r"-[abCeEipu]|-ps|-[cgls][\dx]+")


def xxd_use(argv: Argv) -> Use | Unknown:
    """Say what `xxd` looks at; a second file is written, and `-r` writes bytes."""
    files: list[str] = []
    tokens = iter(argv[1:])
    for token in tokens:
        if not token.startswith("-"):
            files.append(token)
        elif _XXD_VALUED.fullmatch(token):
            if not re.fullmatch(r"[-+]?[\da-fA-Fx]+", next(tokens, "")):
                return Unknown(f"{token} lacks its number")
        elif not _XXD_WORD.fullmatch(token):
            return Unknown(f"{token} is not known to be harmless")
    return Use(contents=tuple(files)) if len(files) < 2 else Unknown(f"{files[1]} is written")


_TESTS = frozenset({"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h"})


def test_use(argv: Argv) -> Use | Unknown:
    """Say what a test of one file looks at; `-v` and arithmetic can run code."""
    rest = argv[2:] if argv[1:2] == ("!",) else argv[1:]
    if len(rest) == 2 and rest[0] in _TESTS:
        return Use(names=rest[1:])
    return Unknown("it is no test of one file")


def echo_use(argv: Argv) -> Use | Unknown:
    """Say that `echo` only prints."""
    return Use()


def command_use(argv: Argv) -> Use | Unknown:
    """Say whether `command` only looks a name up."""
    if len(argv) > 2 and argv[1] in {"-v", "-V"} and not any(t.startswith("-") for t in argv[2:]):
        return Use()
    return Unknown("command runs another program")


_VERSIONS: dict[str, tuple[str, ...]] = {
    "bash": ("--version",),
    "clang": ("--version",),
    "cmake": ("--version",),
    "docker": ("--version",),
    "gcc": ("--version",),
    "g++": ("--version",),
    "java": ("--version", "-version"),
    "make": ("--version",),
    "node": ("--version", "-v"),
    "perl": ("--version", "-v"),
    "pip": ("--version", "-V"),
    "pip3": ("--version", "-V"),
    "python": ("--version", "-V", "-VV"),
    "python3": ("--version", "-V", "-VV"),
    "ruby": ("--version", "-v"),
    "sqlite3": ("--version", "-version"),
    "uv": ("--version", "-V"),
}
"""Not of programs that read the project to answer: yarn, pnpm, cargo and go may load others."""


def is_version_query(argv: Argv) -> bool:
    """Tell whether a program is only asked for its version."""
    return len(argv) == 2 and argv[1] in _VERSIONS.get(argv[0], ())
