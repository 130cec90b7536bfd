"""Programs that go through folders: what they find must not be a secret that nobody named."""

import re

from lararium_daemon.permissions.read_only.grammar import Argv, Grammar, Unknown, Use, Words
from lararium_daemon.system.secret_files import is_secret_name

GREP = Grammar(
    "abcEFGHhIilLnoPqsTUvwxyZz0rR",
    "ABCem",
    has_numbers=True,
    long="extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case "
    "word-regexp line-regexp null-data no-messages invert-match byte-offset line-number "
    "line-buffered with-filename no-filename only-matching quiet silent text recursive "
    "dereference-recursive "
    "files-without-match files-with-matches count initial-tab null no-group-separator binary",
    long_valued="regexp max-count label binary-files include exclude exclude-dir before-context "
    "after-context context group-separator",
    long_optional="color colour",
    operands="expression",
    expression_options=("-e", "--regexp"),
)
DIFF = Grammar(
    "abBcdEeinNpqsTtuwyZ",
    "CFIUW",
    long="brief report-identical-files unified side-by-side ignore-case ignore-all-space "
    "ignore-space-change ignore-blank-lines ignore-trailing-space ignore-tab-expansion text "
    "minimal new-file show-c-function suppress-common-lines expand-tabs",
    long_valued="ignore-matching-lines label width",
    long_optional="unified context color",
    most=2,
)
_SAFE_GLOB = re.compile(r"(?:[\w.@-]+/|\*\*?/)*\*\.(?:(?P<one>\w+)|\{(?P<more>\w+(?:,\w+)*)\})")
_PLAIN_NAME = re.compile(r"(?:[\w.@-]+/|\*\*?/)*(?P<name>[\w.@-]+)")
_SECRET_ENDINGS = frozenset({"env", "pem", "key", "p12", "pfx", "kdbx", "keystore", "jks"})


def grep_use(argv: Argv) -> Use | Unknown:
    """Say what `grep` looks at; with `-r` every file below its operands, with `-R` links too."""
    words = GREP.read(argv)
    if isinstance(words, Unknown):
        return words
    has_expression = words.has(*GREP.expression_options)
    files = words.operands if has_expression else words.operands[1:]
    follows = words.has("-R", "--dereference-recursive")
    if follows or words.has("-r", "--recursive"):
        return Use(contents=files, swept=files or (".",), follows=follows)
    return Use(contents=files)


def diff_use(argv: Argv) -> Use | Unknown:
    """Say what `diff` looks at: of two folders, every file right in them."""
    words = DIFF.read(argv)
    if isinstance(words, Unknown):
        return words
    return Use(contents=words.operands, swept=words.operands, follows=True)


def _check_globs(words: Words) -> str:
    """Object to a glob that asks for hidden and ignored files: it goes before both."""
    for glob in words.values("-g", "--glob"):
        if not _is_safe_glob(glob):
            return f"the glob {glob} may bring in hidden or ignored files"
    return ""


def _is_safe_glob(glob: str) -> bool:
    if glob.startswith("!"):
        return True
    if match := _SAFE_GLOB.fullmatch(glob):
        endings = (match["one"] or match["more"]).lower().split(",")
        return not _SECRET_ENDINGS.intersection(endings)
    match = _PLAIN_NAME.fullmatch(glob)
    return (
        match is not None
        and not match["name"].startswith(".")
        and not is_secret_name(match["name"])
    )


RIPGREP = Grammar(
    "0abcFHIilNnopPqSsUvwx",
    "ABCEegjMmrTt",
    long="files-with-matches files-without-match count count-matches ignore-case smart-case "
    "case-sensitive line-number no-line-number fixed-strings word-regexp line-regexp text "
    "only-matching invert-match multiline multiline-dotall pcre2 heading no-heading null json "
    "with-filename no-filename no-messages stats trim vimgrep pretty column no-column quiet "
    "files type-list byte-offset no-config crlf passthru line-buffered",
    long_valued="after-context before-context context max-count max-columns max-depth color "
    "max-filesize type type-not glob replace regexp colors sort sortr threads encoding "
    "context-separator path-separator",
    operands="expression",
    check=_check_globs,
    expression_options=("-e", "--regexp", "--files", "--type-list"),
)
"""It skips hidden, ignored and linked files by itself; what changes that is not in the list."""

_FIND_FLAGS = frozenset(
    {"-a", "-and", "-o", "-or", "-not", "!", "(", ")", ",", "-true", "-false", "-empty", "-print"}
    | {"-print0", "-prune", "-depth", "-xdev", "-mount", "-daystart", "-noleaf", "-ls", "-quit"}
    | {"-readable", "-writable", "-executable", "-nouser", "-nogroup", "-nowarn"}
)
_FIND_TEXTS = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"}
    | {"-regextype", "-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime"}
    | {"-cmin", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links"}
    | {"-inum", "-used", "-fstype", "-printf", "-newermt", "-newerat", "-newerct", "-lname"}
)
_FIND_FILES = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})


def find_use(argv: Argv) -> Use | Unknown:
    """Say what `find` looks at; it shows names only."""
    tokens = list(argv[1:])
    names: list[str] = []
    while tokens and tokens[0] == "-P":
        tokens.pop(0)
    while tokens and tokens[0][:1] not in {"-", "(", "!", ","}:
        names.append(tokens.pop(0))
    names = names or ["."]
    while tokens:
        token = tokens.pop(0)
        if token in _FIND_FLAGS:
            continue
        if token not in _FIND_TEXTS | _FIND_FILES or not tokens:
            return Unknown(f"{token} is not known to be harmless")
        value = tokens.pop(0)
        if token in _FIND_FILES:
            names.append(value)
    return Use(names=tuple(names))
