"""Subcommands of git that only read, each with the options that are known to be harmless.

None of these writes, fetches, pages, or runs a program that its command line names. What the
repository's own configuration may run is `repository.py`'s matter.
"""

import re
from dataclasses import replace
from itertools import pairwise

from lararium_daemon.permissions.read_only.grammar import Argv, Grammar, Unknown, Use, Words

_GLOBALS = frozenset({"--no-pager", "-P", "--no-optional-locks"})
_RUNS_GPG = re.compile(r"%[-+ ]?G|signature")


def _check_formats(words: Words) -> str:
    for text in words.values("--format", "--pretty", "--sort"):
        if _RUNS_GPG.search(text):
            return f"the format {text} runs another program"
    return ""


_DIFF = Grammar(
    "abpRsuwWz",
    "GSU",
    optional="BCDM",
    long="patch no-patch numstat shortstat name-only name-status summary raw minimal patience "
    "histogram no-color check full-index no-renames cached staged merge-base exit-code quiet "
    "no-ext-diff no-textconv ignore-all-space ignore-space-change ignore-blank-lines text "
    "ignore-space-at-eol function-context no-prefix compact-summary pickaxe-all pickaxe-regex",
    long_valued="diff-filter unified inter-hunk-context diff-algorithm word-diff-regex",
    long_optional="stat color word-diff abbrev find-renames find-copies color-words relative "
    "dirstat color-moved",
)
_LOG = replace(
    _DIFF,
    flags=_DIFF.flags + "cEFgimPq",
    valued=_DIFF.valued + "nL",
    has_numbers=True,
    long=f"{_DIFF.long} oneline graph all no-decorate reverse merges no-merges first-parent "
    "date-order topo-order author-date-order follow full-history simplify-by-decoration no-walk "
    "left-right cherry-pick boundary walk-reflogs source relative-date parents children no-notes "
    "invert-grep regexp-ignore-case all-match extended-regexp fixed-strings perl-regexp "
    "abbrev-commit no-abbrev-commit cherry cherry-mark ancestry-path no-mailmap",
    long_valued=f"{_DIFF.long_valued} max-count skip since after until before author committer "
    "grep format date",
    long_optional=f"{_DIFF.long_optional} decorate pretty branches tags remotes",
    check=_check_formats,
)


def _check_listing(words: Words) -> str:
    if words.operands and not words.has("--list", "-l"):
        return f"{words.operands[0]} could be made or changed without --list"
    return _check_formats(words)


_BRANCH = Grammar(
    "aqrv",
    long="list all remotes verbose show-current no-color ignore-case quiet",
    long_valued="contains no-contains merged no-merged points-at sort format",
    long_optional="color column abbrev",
    check=_check_listing,
)
_SUBCOMMANDS: dict[str, Grammar] = {
    "blame": Grammar(
        "bceflnpstw",
        "L",
        optional="CM",
        long="porcelain line-porcelain show-email show-name show-number root show-stats",
        long_valued="date since ignore-rev",
        long_optional="abbrev",
    ),
    "branch": _BRANCH,
    "cat-file": Grammar("epst"),
    "check-ignore": Grammar("nqv", long="quiet verbose non-matching no-index"),
    "count-objects": Grammar("Hv", long="verbose human-readable", operands="none"),
    "describe": Grammar(
        long="tags all long always exact-match first-parent",
        long_valued="match exclude candidates",
        long_optional="abbrev dirty broken",
    ),
    "diff": _DIFF,
    "grep": Grammar(
        "acEFGhHiILlnopPqvwWz",
        "ABCem",
        has_numbers=True,
        long="text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp "
        "perl-regexp fixed-strings line-number column files-with-matches name-only count quiet "
        "files-without-match null only-matching all-match heading break show-function cached "
        "function-context and or not no-color",
        long_valued="max-depth context after-context before-context max-count",
        long_optional="color",
        operands="expression",
        expression_options=("-e",),
    ),
    "log": _LOG,
    "ls-files": Grammar(
        "cdikmostuvz",
        "x",
        long="cached deleted modified others ignored stage unmerged killed directory full-name "
        "exclude-standard error-unmatch eol deduplicate no-empty-directory",
        long_valued="exclude",
        long_optional="abbrev",
    ),
    "ls-tree": Grammar(
        "dlrtz", long="name-only name-status full-name full-tree long", long_optional="abbrev"
    ),
    "merge-base": Grammar("a", long="all octopus independent is-ancestor fork-point"),
    "rev-list": Grammar(
        has_numbers=True,
        valued="n",
        long="count all reverse merges no-merges first-parent oneline left-right abbrev-commit",
        long_valued="max-count skip since after until before author grep",
        long_optional="branches tags remotes",
    ),
    "rev-parse": Grammar(
        "q",
        long="show-toplevel show-prefix show-cdup is-inside-work-tree is-inside-git-dir verify "
        "is-bare-repository git-dir git-common-dir absolute-git-dir all symbolic quiet "
        "symbolic-full-name is-shallow-repository",
        long_optional="short abbrev-ref branches tags remotes",
    ),
    "shortlog": Grammar(
        "cens", long="numbered summary email committer all no-merges", long_valued="since until"
    ),
    "show": _LOG,
    "show-ref": Grammar("dqs", long="heads tags branches head dereference quiet verify hash"),
    "status": Grammar(
        "bsvz",
        optional="u",
        long="short branch long show-stash ahead-behind no-ahead-behind verbose null renames "
        "no-renames",
        long_optional="untracked-files ignored porcelain column find-renames",
    ),
    "symbolic-ref": Grammar("q", long="short quiet", most=1),
    "tag": Grammar(
        "l",
        optional="n",
        long="list no-color ignore-case",
        long_valued="sort contains no-contains merged no-merged points-at format",
        long_optional="color column",
        check=_check_listing,
    ),
    "version": Grammar(long="build-options", operands="none"),
}


def git_use(argv: Argv) -> Use | Unknown:
    """Say what a git command looks at."""
    rest = list(argv[1:])
    if rest == ["--version"]:
        return Use()
    while rest and rest[0] in _GLOBALS:
        rest.pop(0)
    if not rest or rest[0].startswith("-"):
        return Unknown(f"git {rest[0]} changes what git does" if rest else "it says nothing")
    words = tuple(rest)
    grammar = _SUBCOMMANDS.get(words[0])
    found = grammar.use(words) if grammar else _nested_use(words)
    if isinstance(found, Unknown):
        return found
    magic = next((token for token in found.contents if token.startswith(":(")), "")
    if magic:
        return Unknown(f"{magic} names files in a way of git's own")
    ranges = [t for before, t in pairwise(words) if before == "-L" or t.startswith("-L")]
    return replace(found, contents=_pieces((*found.contents, *ranges)), is_git=True)


def _nested_use(words: Argv) -> Use | Unknown:
    """Say what a subcommand of a subcommand looks at, e.g. `git stash list`."""
    match words:
        case ("stash", "list", *_):
            return _LOG.use(words[1:])
        case ("stash", "show", *_):
            return _DIFF.use(words[1:])
        case ("reflog", "show", *_):
            return _LOG.use(words[1:])
        case ("reflog", *rest) if all(word.startswith("-") for word in rest):
            return _LOG.use(words)
        case ("remote",) | ("remote", "-v" | "--verbose") | ("worktree", "list"):
            return Use()
        case ("remote", "get-url", name) if not name.startswith("-"):
            return Use()
        case _:
            return Unknown(f"git {words[0]} is not known to only read")


def _pieces(operands: Argv) -> Argv:
    """Give what could be a path in `HEAD:a/b`, beside the whole."""
    found: dict[str, None] = {}
    for operand in operands:
        found[operand] = None
        for piece in re.split(r"[=:]", operand):
            if piece:
                found[piece] = None
    return tuple(found)
