"""Programs by what they do. The lists name what is known; a program on none of them is ordinary."""

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS = _names("""
    bash sh dash zsh ksh fish ash busybox eval exec command builtin env xargs sudo doas su runuser
    timeout nice nohup stdbuf time ionice setsid chroot unshare nsenter flock script watch parallel
    ssh docker podman kubectl systemd-run strace ltrace chrt taskset setarch unbuffer pkexec
    caffeinate trap source entr at batch npx uvx
""")
"""Their arguments hold another command."""

PLAIN_RUNNERS = _names("""
    env xargs timeout nice nohup stdbuf time ionice setsid command builtin exec flock watch parallel
    chrt taskset setarch unbuffer caffeinate strace ltrace
""")
"""Wrappers that add nothing of their own: a rule for one says nothing about what it runs."""

EXECUTING_BUILTINS = _names("""
    alias bind builtin command compgen complete declare enable eval exec export fc hash history let
    local mapfile read readarray readonly set shopt source . trap typeset unalias unset wait
""")
"""Builtins of bash that run text or change what later words mean."""

RISKY = _names("""
    rm rmdir dd mkfs shred truncate kill pkill killall reboot shutdown halt chmod chown chattr mount
    umount crontab useradd usermod passwd curl wget scp rsync nc ncat socat
""")
"""Not offered as "always"."""

INTERPRETERS = re.compile(
    r"(python|pypy|perl|ruby|php|lua|node|tclsh|guile|java|osascript|pwsh|powershell)[\d.]*"
    r"|deno|bun|ts-node|tsx|cmd|irb|ipython|Rscript|R|psql|mysql|sqlite3|redis-cli|gdb|vim?|nvim"
    r"|emacs|ed|ex|less|man"
)
"""They run what a file or an argument says."""

READERS = _names("""
    cat head tail less more ls rg grep egrep fgrep wc stat file diff cmp git find tree du sort uniq
    cut jq cd test [ md5sum sha1sum sha256sum od xxd hexdump strings nl tac which realpath readlink
    basename dirname column pwd
""")
"""They do not write to the files they are given (git guards its own folder)."""

EXPRESSION_FIRST = _names("grep egrep fgrep rg sed awk gawk mawk jq")
"""Their first argument that is no option is an expression, not a file."""

WITHOUT_FILES = _names("echo true false date whoami sleep kill")
"""Their arguments are no files."""


def program_name(argv: tuple[str, ...]) -> str:
    """Give the program's name without its folder."""
    return argv[0].rsplit("/", 1)[-1] if argv else ""
