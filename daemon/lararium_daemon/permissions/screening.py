"""What a trailing `*` of an allow rule does not let in: options that write, run or load something.

`Bash(git log *)` is meant for reading a log, so `git log --output=x` still asks. A person who wants
it writes it out: what a rule names word by word is not screened. This is convenience, not a
boundary; the lists name what is known.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from lararium_daemon.permissions.programs import program_name
from lararium_daemon.permissions.wrapped import Argv


@dataclass(slots=True, frozen=True)
class Screen:
    """The options of one program that need the person."""

    long: tuple[str, ...] = ()
    """With their dashes; an abbreviation counts, and so does `--option=value`."""
    short: str = ""
    """Letters, also inside a cluster such as `-xp`."""
    words: frozenset[str] = frozenset()
    """Whole arguments."""
    pattern: str = ""
    """A regular expression that no argument may match."""
    stops_at_dashes: bool = False
    """What follows `--` goes to another program."""
    safe: frozenset[str] = frozenset()
    """Long options that look like an abbreviation of a listed one and are not."""
    has_targets: bool = False
    """Each of its words is work of its own: a rule that names one says nothing about others."""
    check: Callable[[Argv], str] | None = None
    """Looks at the whole command; gives the reason or ""."""


def why_screened(argv: Argv, named: int) -> str:
    """Say why the words after the first `named` ones need the person, "" when they do not."""
    for start in _program_starts(argv):
        name = program_name(argv[start:])
        screen = _SCREENS.get(_SAME.get(name, name))
        if screen is None:
            continue
        if reason := _why(screen, argv, start, named):
            return reason
    return ""


def _program_starts(argv: Argv) -> list[int]:
    """Give where programs begin: `uv run pytest` and `python -m pytest` are pytest too."""
    match argv:
        case ("uv" | "poetry" | "pipenv" | "hatch" | "pdm", "run", _, *_):
            return [0, 2]
        case ("python" | "python3", "-m", _, *_):
            return [0, 2]
        case ("npx" | "bunx", _, *_):
            return [0, 1]
        case _:
            return [0]


def _why(screen: Screen, argv: Argv, start: int, named: int) -> str:
    tail = argv[max(named, start + 1) :]
    if screen.stops_at_dashes and "--" in tail:
        tail = tail[: tail.index("--")]
    for token in tail:
        if _is_listed(screen, token):
            name = token.partition("=")[0]
            return f"{name} makes {program_name(argv[start:])} write, run or load something else"
        is_target = token[:1] != "-" and not token.isdigit()
        if screen.has_targets and named > start + 1 and is_target:
            return f"{token} is another target than the rule names"
    return screen.check(argv[start:]) if screen.check and tail else ""


def _is_listed(screen: Screen, token: str) -> bool:
    if token in screen.words or (screen.pattern and re.search(screen.pattern, token)):
        return True
    name = token.partition("=")[0]
    if name.startswith("--"):
        return (
            len(name) > 2
            and name not in screen.safe
            and any(option.startswith(name) for option in screen.long)
        )
    if token.startswith("-"):
        return name in screen.long or any(letter in screen.short for letter in token[1:])
    return False


def _positionals(argv: Argv, with_value: str = "") -> list[str]:
    """Give the arguments that are neither options nor values of the short options named."""
    found: list[str] = []
    skip = False
    for token in argv[1:]:
        if skip:
            skip = False
        elif token.startswith("-") and len(token) > 1:
            skip = len(token) == 2 and token[1] in with_value
        else:
            found.append(token)
    return found


_SED_SAFE = re.compile(
    r"(?:\d+|\$)?(?:,\s*(?:\d+|\$))?!?[pdq=]"
    r"|/(?:[^/\\\n]|\\.)*/(?:,/(?:[^/\\\n]|\\.)*/)?!?[pd]"
    r"|s([/|#,:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI0-9]*"
)


def _check_sed(argv: Argv) -> str:
    scripts = [argv[i + 1] for i in range(1, len(argv) - 1) if argv[i] in {"-e", "--expression"}]
    scripts += [token.partition("=")[2] for token in argv if token.startswith("--expression=")]
    if not scripts:
        scripts = _positionals(argv, "El")[:1]
    commands = [part.strip() for script in scripts for part in script.split(";")]
    if all(_SED_SAFE.fullmatch(command) for command in commands):
        return ""
    return "its script does more than print and replace"


_AWK_UNSAFE = re.compile(
    r"system|getline|close|fflush|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|[|>`]"
)


def _check_awk(argv: Argv) -> str:
    program = _positionals(argv, "Fv")[:1]
    return "its program can write or run something" if _AWK_UNSAFE.search("".join(program)) else ""


def _check_uniq(argv: Argv) -> str:
    return "its second file is written" if len(_positionals(argv, "fsw")) > 1 else ""


def _check_date(argv: Argv) -> str:
    plain = [token for token in _positionals(argv, "dIr") if not token.startswith("+")]
    return "it can set the clock" if plain else ""


_GIT_HARMLESS_GLOBALS = frozenset({
    "--version",
    "--no-pager",
    "-P",
    "--no-optional-locks",
})
_GIT_RUNNERS = frozenset(
    {"difftool", "mergetool", "filter-branch", "daemon", "instaweb", "config", "credential", "hook"}
    | {
        "help",
        "send-email",
        "p4",
        "svn",
        "submodule",
        "bisect",
        "shell",
        "upload-pack",
        "receive-pack",
    }
    | {"remote-ext", "remote-fd", "merge-index", "for-each-repo", "maintenance", "web--browse"}
    | {"gui", "citool", "fast-import", "imap-send", "cvsserver", "http-backend", "filter-repo"}
)
_CLONE_RUNS = re.compile(r"-[qvlnsj]*[cu]")


def _check_git(argv: Argv) -> str:
    rest = list(argv[1:])
    if "--help" in rest:
        return "git shows its manual in a viewer that the configuration names"
    while rest and rest[0] in _GIT_HARMLESS_GLOBALS:
        rest.pop(0)
    if rest and rest[0].startswith("-"):
        return f"{rest[0]} before the subcommand changes what git does"
    if rest and rest[0] in _GIT_RUNNERS:
        return f"git {rest[0]} can run or configure other programs"
    if rest and rest[0] == "rebase" and any(token in {"-x", "-i"} for token in rest):
        return "git rebase can run other programs"
    if rest and rest[0] == "clone" and any(_CLONE_RUNS.match(token) for token in rest):
        return "git clone takes settings or a program of its own that way"
    if rest and rest[0] == "grep" and any(token.startswith("-O") for token in rest):
        return "git grep can open the files in another program"
    return ""


def _check_tar(argv: Argv) -> str:
    first = argv[1] if len(argv) > 1 else ""
    is_bundle = first[:1] != "-" and set(first) & set("IFTP")
    return f"{first} lets tar run something or write anywhere" if is_bundle else ""


_CONFIG = ("--config", "--config-file", "--rootDir", "--root", "--globals")

_SCREENS: dict[str, Screen] = {
    "git": Screen(
        long=(
            *("--output", "--ext-diff", "--textconv", "--exec-path", "--upload-pack"),
            *("--receive-pack", "--exec", "--open-files-in-pager", "--git-dir", "--work-tree"),
            *("--config", "--config-env", "--template", "--separate-git-dir", "--output-directory"),
            *("--show-signature", "--no-index", "--untracked", "--no-exclude-standard"),
        ),
        pattern=r"(^|=)(ext|fd)::|%[-+ ]?G|%\(signature",
        safe=frozenset({"--text"}),
        check=_check_git,
    ),
    "find": Screen(
        words=frozenset(
            {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf"}
            | {"-fls", "-files0-from"}
        )
    ),
    "fd": Screen(long=("--exec", "--exec-batch"), short="xX"),
    "rg": Screen(long=("--pre", "--hostname-bin", "--search-zip"), short="z"),
    "sort": Screen(
        long=("--output", "--compress-program", "--temporary-directory", "--files0-from"),
        short="oT",
    ),
    "uniq": Screen(check=_check_uniq),
    "sed": Screen(long=("--in-place", "--file", "--follow-symlinks"), short="if", check=_check_sed),
    "awk": Screen(
        long=(
            *("--file", "--include", "--load", "--exec", "--dump-variables", "--profile"),
            *("--pretty-print", "--debug", "--source"),
        ),
        short="fiElodDpeW",
        check=_check_awk,
    ),
    "tree": Screen(short="oR", long=("--output", "--fromfile")),
    "date": Screen(long=("--set", "--file"), short="sf", check=_check_date),
    "file": Screen(long=("--compile", "--magic-file", "--files-from"), short="Cmf"),
    "wc": Screen(long=("--files0-from",)),
    "du": Screen(long=("--files0-from", "--exclude-from"), short="X"),
    "jq": Screen(long=("--from-file", "--rawfile", "--slurpfile"), short="fL"),
    "tar": Screen(
        long=(
            *("--to-command", "--checkpoint-action", "--use-compress-program", "--rmt-command"),
            *("--rsh-command", "--info-script", "--new-volume-script", "--files-from"),
            "--absolute-names",
        ),
        short="IFTP",
        check=_check_tar,
    ),
    "printf": Screen(short="v"),
    "test": Screen(short="v", pattern=r"\["),
    "make": Screen(
        long=(
            *("--file", "--makefile", "--directory", "--include-dir", "--eval"),
            *("--environment-overrides",),
        ),
        short="fCIEe",
        pattern=r"^[^-]*=",
        has_targets=True,
    ),
    "ninja": Screen(short="fCt", has_targets=True),
    "npm": Screen(
        long=(
            *("--script-shell", "--prefix", "--userconfig", "--globalconfig", "--node-options"),
            *("--cache", "--registry", "--init-module", "--shell", "--git", "--editor", "--viewer"),
            "--call",
        ),
        short="Cc",
        stops_at_dashes=True,
    ),
    "pytest": Screen(
        long=(
            *("--rootdir", "--confcutdir", "--override-ini", "--import-mode", "--basetemp"),
            *("--junitxml", "--junit-xml", "--log-file", "--cov-config", "--debug", "--pdbcls"),
            *("--pastebin", "--config-file", "--pyargs", "--pdb", "--trace"),
        ),
        short="pco",
        pattern="^@",
        safe=frozenset({"--cov", "--co"}),
    ),
    "cargo": Screen(
        long=("--config", "--manifest-path", "--target-dir", "--artifact-dir", "--out-dir"),
        short="ZC",
        stops_at_dashes=True,
    ),
    "go": Screen(
        words=frozenset({"-o", "-C", "-c"}),
        pattern=r"^--?(exec|toolexec|vettool|modfile|overlay|ldflags|gcflags|asmflags|gccgoflags"
        r"|pkgdir|outputdir|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace"
        r"|fuzz)(=|$)",
    ),
    "eslint": Screen(
        long=(
            *("--config", "--rulesdir", "--resolve-plugins-relative-to", "--parser", "--plugin"),
            *("--output-file", "--format", "--cache-location", "--cache-file"),
            *("--init", "--inspect-config"),
        ),
        short="cof",
    ),
    "ruff": Screen(long=("--config", "--output-file", "--cache-dir"), short="o"),
    "mypy": Screen(
        long=("--config-file", "--python-executable", "--install-types", "--cache-dir"),
        pattern=r"^--[a-z-]+-report(=|$)",
    ),
    "jest": Screen(
        long=(*_CONFIG, "--reporters", "--setupFiles", "--transform", "--runner", "--testRunner"),
        short="c",
    ),
    "vitest": Screen(long=(*_CONFIG, "--reporter", "--environment", "--dir"), short="cr"),
    "tsc": Screen(
        long=("--outDir", "--outFile", "--declarationDir", "--tsBuildInfoFile"), pattern="^@"
    ),
    "docker": Screen(
        long=("--config", "--context", "--host", "--tlscacert", "--tlscert", "--tlskey"), short="H"
    ),
    "curl": Screen(long=("--config",), short="K"),
    "less": Screen(
        long=("--log-file", "--LOG-FILE", "--lesskey-file", "--lesskey-src", "--lesskey-content"),
        short="koO",
        pattern=r"^\+",
    ),
    "man": Screen(long=("--pager", "--html", "--preprocessor", "--config-file"), short="PHC"),
    "rsync": Screen(
        long=("--rsh", "--rsync-path", "--config", "--log-file", "--files-from", "--daemon"),
        short="e",
    ),
    "ssh": Screen(short="oFSE"),
    "scp": Screen(short="oFSD"),
    "zip": Screen(long=("--unzip-command",), pattern="^-[a-zA-Z]*TT"),
    "sqlite3": Screen(
        words=frozenset({"-cmd", "-init", "-A"}),
        pattern=r"(?i)^\s*\.(?!(tables|schema|indexes|databases|help|headers|mode|width)\b)"
        r"|load_extension|writefile|readfile|edit\s*\(|\battach\b|\binto\s+'",
    ),
}
_SAME = {"gawk": "awk", "mawk": "awk", "gmake": "make", "pnpm": "npm", "yarn": "npm", "[": "test"}
