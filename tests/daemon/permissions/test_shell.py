"""What the shell analysis makes of command lines."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lararium_daemon.permissions.shell import analyse


@pytest.mark.parametrize(
    ("command", "commands"),
    [
        ("git status -sb", [("git", "status", "-sb")]),
        ("a 'b c' \"d $\" e\\ f g'h'\"i\"", [("a", "b c", "d $", "e f", "ghi")]),
        ("git log --grep='$(x)'", [("git", "log", "--grep=$(x)")]),
        ("a && b || c; d | e\nf", [("a",), ("b",), ("c",), ("d",), ("e",), ("f",)]),
        ("CI=1 npm test >/dev/null 2>&1", [("npm", "test")]),
        ("echo '' \"\" {} HEAD@{1} a,b 1", [("echo", "", "", "{}", "HEAD@{1}", "a,b", "1")]),
        ("echo 日本 é", [("echo", "日本", "é")]),
    ],
)
def test_a_plain_command_gives_exactly_its_arguments(
    command: str, commands: list[tuple[str, ...]]
) -> None:
    analysis = analyse(command)

    assert (analysis.commands, analysis.reason) == (commands, "")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "no command"),
        ("A=1", "no command"),
        ("ls $(id)", "a command substitution"),
        ('ls "$X"', "a variable"),
        ("ls > out", "a redirection"),
        ("ls < in", "a redirection"),
        ("ls 2>/dev/null -la", "a redirection"),
        ("ls >/dev/null/../x", "a redirection"),
        ("ls &", "a command in the background"),
        ("ls |& cat", "shell syntax (|&)"),
        ("ls # x", "a comment"),
        ("(ls)", "a subshell"),
        ("f() { ls; }", "a function"),
        ("ls {a,b}", "a pattern that the shell expands"),
        ("make prefix=~/x", "a pattern that the shell expands"),
        ("export A=1", "a declaration"),
        ("LD_PRELOAD=x ls", "a variable that can change what the program does"),
        ("CI+=1 ls", "a variable that can change what the program does"),
        ("a\\\nb", "a line that a backslash continues"),
        ("x" * 10_001, "more than 10000 characters"),
        ("echo 'open", "bash syntax that cannot be read with certainty"),
    ],
)
def test_anything_else_is_not_plain_and_says_why(command: str, reason: str) -> None:
    assert analyse(command).reason == reason


def test_commands_hidden_in_what_is_not_plain_are_made_out() -> None:
    analysis = analyse('for f in a; do x $(rm -rf "$f"); done & y <(z)')

    assert analysis.commands == [
        ("x", "\0"),
        ("rm", "-rf", "\0"),
        ("y", "\0"),
        ("z",),
    ]


@given(st.text(max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    analyse(text)


@pytest.mark.parametrize("piece", ["(", "$(", "{ ", "`", "'", '"', "<(", "a;", "if ", "${", "[[ "])
def test_deep_nesting_is_answered(piece: str) -> None:
    assert analyse(piece * (9_999 // len(piece))).reason or piece == "a;"


PIECES = st.sampled_from([
    *(
        "args",
        " ",
        "  ",
        "a",
        "b*",
        "'",
        '"',
        "\\",
        "$",
        "$x",
        "`",
        "{",
        "}",
        ",",
        "..",
        "~",
        "=",
        ":",
    ),
    *("#", "!", ";", "&&", "||", "|", "&", ">", "<", "(", ")", "[", "]", "?", "-", "\n", "\t", "%"),
    *("^", "+", "@", "é", "日", "1", "'a b'", '"c d"', "/dev/null", "2>&1", "CI=1 ", " args "),
])


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one program, `args`, that writes its arguments to the file `log`."""
    folder = tmp_path_factory.mktemp("recorder")
    program = folder / "args"
    program.write_text('#!/bin/bash\nprintf "%s\\0" "$#" "$@" >> "$LOG"\n', "utf-8")
    program.chmod(0o755)
    return folder


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(PIECES, max_size=9).map(lambda pieces: "args " + "".join(pieces)))
def test_what_is_called_plain_runs_with_exactly_these_arguments(
    recorder: Path, command: str
) -> None:
    analysis = analyse(command)
    programs = {argv[0] for argv in analysis.commands}
    if not analysis.plain or programs != {"args"} or "|" in command:
        return  # other programs are not run, and `|` and `||` run them in no certain order
    log = recorder / "log"
    log.write_bytes(b"")

    subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", "--", command],
        cwd=recorder,
        env={"PATH": str(recorder), "LOG": str(log), "HOME": "/nowhere"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=20,
    )

    expected = [field for argv in analysis.commands for field in (str(len(argv) - 1), *argv[1:])]
    assert log.read_bytes().decode() == "".join(f"{field}\0" for field in expected)
