"""Scripts made from a grammar: everyday commands, options that do harm, and how they are joined."""

from hypothesis import strategies as st

PROGRAMS = [
    *("ls", "cat", "head", "tail", "wc", "stat", "file", "du", "df", "sort", "uniq", "cut", "tr"),
    *("nl", "tac", "rev", "od", "xxd", "hexdump", "strings", "sha256sum", "paste", "fold", "comm"),
    *("diff", "cmp", "grep", "egrep", "rg", "find", "sed", "awk", "jq", "echo", "printf", "date"),
    *("pwd", "which", "basename", "realpath", "readlink", "seq", "uname", "ps", "test", "tee"),
    *("git status", "git diff", "git log", "git show", "git branch", "git ls-files", "git grep"),
    *("git rev-parse", "git blame", "git tag", "git stash list", "git describe"),
]
OPTIONS = [
    *(
        "-l",
        "-a",
        "-n",
        "-r",
        "-1",
        "-c",
        "-i",
        "-e",
        "-o",
        "-s",
        "-f",
        "-v",
        "-q",
        "-x",
        "-w",
        "-p",
    ),
    *("-n 2", "-c 5", "-k 2", "-t :", "-rn", "-la", "-sh", "-u", "-z", "-h", "-L", "-R", "-d x"),
    *("--all", "--count", "--stat", "--oneline", "--list", "--color=never", "--cached", "--help"),
    *("--version", "--output=out", "-o out", "--outp=out", "-T .", "-i.bak", "--in-place", "-fout"),
    *("-delete", "-exec touch out ;", "-fprint out", "-name a", "-newer b", "-type f", "-print"),
    *("--pre ./tool", "--pre=./tool", "-z", "--hidden", "-uu", "-g '*'", "-g '*.ts'", "--files"),
    *(
        "--ext-diff",
        "--textconv",
        "--no-index",
        "-m note",
        "-D main",
        "-C 2",
        "-A 1",
        "--format=%h",
    ),
    *("-f script", "--file=script", "--files0-from=names", "-e p", "-n 1p", "-E", "-F", "--"),
]
OPERANDS = [
    *(
        "a.txt",
        "sub",
        "sub/b.txt",
        ".",
        "sub/../a.txt",
        "link",
        ".env",
        "sub/.env",
        "../out",
        "out",
    ),
    *(
        "HEAD",
        "HEAD:a.txt",
        "HEAD:.env",
        "'a b'",
        "'*.txt'",
        "x",
        "+%F",
        "1",
        "a-z",
        "A-Z",
        ".a",
        "env",
    ),
    *("1p", "p", "'w out'", "s/a/b/", "'s/a/b/w out'", "'s/a/touch out/e'", "'{print > \"out\"}'"),
    *("'BEGIN{system(\"touch out\")}'", "'{print}'", "'%s\\n'", "-f", "!", "/dev/null", "main"),
]
JOINERS = ["; ", " && ", " || ", " | ", "\n"]
TAILS = [
    "",
    "",
    "",
    "",
    " >/dev/null",
    " 2>&1",
    " 2>/dev/null",
    " > out",
    " >> out",
    " < a.txt",
    " &",
]


def _command(program: str, words: list[str], tail: str) -> str:
    return " ".join([program, *words]) + tail


COMMANDS = st.builds(
    _command,
    st.sampled_from(PROGRAMS),
    st.lists(st.sampled_from(OPTIONS) | st.sampled_from(OPERANDS), max_size=4),
    st.sampled_from(TAILS),
)
"""One command with up to four words."""


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """Give a script of one to three commands."""
    text = draw(COMMANDS)
    for _ in range(draw(st.integers(0, 2))):
        text += draw(st.sampled_from(JOINERS)) + draw(COMMANDS)
    return text
