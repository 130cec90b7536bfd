"""The grammars of ordinary programs: GNU's options that neither write, run nor follow links."""

import re

from lararium_daemon.permissions.read_only.grammar import Grammar, Words

_CHECKSUM = Grammar("btz", long="binary text tag zero")


def _check_cd(words: Words) -> str:
    named = words.operands and words.operands[0] not in {"", "-"}
    return "" if named else "it goes to a folder that is not named"


def _check_date(words: Words) -> str:
    wrong = [token for token in words.operands if not token.startswith("+")]
    return f"{wrong[0]} could set the clock" if wrong else ""


def _check_jq(words: Words) -> str:
    program = words.operands[0] if words.operands else ""
    found = re.search(r"env|import|include|modulemeta|search_list", program, re.IGNORECASE)
    return f"its program holds {found[0]}, which reads more than its files" if found else ""


def _check_strings(words: Words) -> str:
    listed = [token for token in words.operands if token.startswith("@")]
    return f"{listed[0]} may name a file of options" if listed else ""


_FORMAT = re.compile(r"(?:[^%]|%%|%[-+ 0#]*\d*(?:\.\d+)?[sbcdiuxXoqefg])*", re.DOTALL)


def _check_printf(words: Words) -> str:
    known = bool(words.operands) and _FORMAT.fullmatch(words.operands[0])
    return "" if known else "its format is not known to only print"


PROGRAMS: dict[str, Grammar] = {
    # `tac` is left out: of a pipe it makes a temporary file
    "arch": Grammar(operands="none"),
    "basename": Grammar("az", "s", operands="texts"),
    "cat": Grammar(
        "AbeEnstTuv",
        long="show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    ),
    "cmp": Grammar("bls", "n", long="print-bytes verbose quiet silent", most=2),
    "cd": Grammar(operands="names", most=1, check=_check_cd),
    "column": Grammar("tx", "cos", long="table", long_valued="separator output-separator"),
    "comm": Grammar("123z", long="check-order nocheck-order total zero-terminated", most=2),
    "cut": Grammar(
        "nsz",
        "bcdf",
        long="complement only-delimited zero-terminated",
        long_valued="bytes characters delimiter fields output-delimiter",
    ),
    "date": Grammar(
        "uR",
        "d",
        optional="I",
        long="utc universal rfc-email",
        long_valued="date rfc-3339",
        long_optional="iso-8601",
        operands="texts",
        most=1,
        check=_check_date,
    ),
    "df": Grammar(
        "ahHiklPT",
        "txB",
        long="all human-readable si inodes local portability print-type total",
        long_valued="type exclude-type block-size",
    ),
    "dirname": Grammar("z", operands="texts"),
    "du": Grammar(
        "abchklmsSx0",
        "dtB",
        long="all apparent-size bytes total human-readable summarize separate-dirs si null "
        "one-file-system",
        long_valued="max-depth threshold block-size exclude",
        operands="names",
    ),
    "expand": Grammar("i", "t", long="initial", long_valued="tabs"),
    "false": Grammar(operands="none"),
    "file": Grammar(
        "bhikLNr",
        long="brief mime mime-type mime-encoding extension dereference no-dereference keep-going "
        "raw no-pad",
    ),
    "fold": Grammar("bs", "w", long="bytes spaces", long_valued="width"),
    "free": Grammar(
        "bkmghltw", long="bytes kibi mebi gibi human si lohi total wide", operands="none"
    ),
    "head": Grammar(
        "qvz",
        "nc",
        long="quiet silent verbose zero-terminated",
        long_valued="lines bytes",
        has_numbers=True,
    ),
    "hexdump": Grammar("bcCdovx", "ns"),
    "jq": Grammar(
        "crnsSeaMCjR",
        long="compact-output raw-output null-input slurp sort-keys exit-status ascii-output "
        "monochrome-output color-output join-output raw-input tab stream",
        long_valued="indent",
        operands="expression",
        check=_check_jq,
    ),
    "ls": Grammar(
        "aAbBcCdfFgGhiklmnNopqQrRsStuUvxX1",
        "ITw",
        long="all almost-all escape ignore-backups directory full-time group-directories-first "
        "no-group human-readable si inode kibibytes numeric-uid-gid literal quote-name reverse "
        "recursive size author zero",
        long_valued="ignore hide sort time time-style format block-size width tabsize "
        "indicator-style quoting-style",
        long_optional="color classify",
        operands="names",
    ),
    "lscpu": Grammar(operands="none"),
    "nl": Grammar("p", "abdfhilnsvw"),
    "nproc": Grammar(long="all", operands="none"),
    "od": Grammar("bcdiloxsv", "ANjt", long_valued="address-radix read-bytes skip-bytes format"),
    "paste": Grammar("sz", "d", long="serial zero-terminated", long_valued="delimiters"),
    "pgrep": Grammar("acfilnox", "uPt", long="full list-name exact", operands="texts"),
    "printf": Grammar(operands="texts", check=_check_printf),
    "pwd": Grammar("LP", operands="none"),
    "readlink": Grammar("efmnqsvz", operands="names"),
    "realpath": Grammar("eLmPqsz", operands="names"),
    "rev": Grammar(),
    "seq": Grammar("w", "fs", long="equal-width", operands="texts"),
    "sleep": Grammar(operands="texts"),
    "sort": Grammar(
        "bcCdfghiMmnRrsuVz",
        "kt",
        long="ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
        "ignore-nonprinting month-sort human-numeric-sort numeric-sort reverse version-sort "
        "merge stable unique zero-terminated random-sort check",
        long_valued="key field-separator sort",
    ),
    "stat": Grammar(
        "ft", "c", long="file-system terse", long_valued="format printf", operands="names"
    ),
    "strings": Grammar("af", "ent", long="all", check=_check_strings),
    "tail": Grammar(
        "qvz",
        "nc",
        long="quiet silent verbose zero-terminated",
        long_valued="lines bytes",
        has_numbers=True,
    ),
    "tr": Grammar(
        "cCdst", long="complement delete squeeze-repeats truncate-set1", operands="texts"
    ),
    "tree": Grammar(
        "aAcCdDfFghiJnNpqQrsStuUvxX",
        "ILP",
        long="dirsfirst filesfirst noreport gitignore prune matchdirs ignore-case du si inodes",
        long_valued="filelimit sort timefmt charset",
        operands="names",
    ),
    "true": Grammar(operands="none"),
    "type": Grammar("afpPt", operands="texts"),
    "uname": Grammar(
        "aimnoprsv",
        long="all kernel-name nodename kernel-release kernel-version machine operating-system",
        operands="none",
    ),
    "unexpand": Grammar("a", "t", long="all first-only", long_valued="tabs"),
    "uniq": Grammar(
        "cdDiuz",
        "fsw",
        long="count repeated ignore-case unique zero-terminated",
        long_valued="skip-fields skip-chars check-chars",
        long_optional="all-repeated group",
        most=1,
    ),
    "uptime": Grammar("ps", long="pretty since", operands="none"),
    "wc": Grammar("clmwL", long="bytes chars lines words max-line-length"),
    "which": Grammar("a", operands="texts"),
    **dict.fromkeys(
        ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"),
        _CHECKSUM,
    ),
}
