"""What a command line would run, read with a real parser and judged by an allow-list of syntax.

*Plain* means: simple commands of fixed words, joined by `&&`, `||`, `;`, `|` or newlines, with
harmless assignments and redirections to /dev/null. Only then are `commands` all that runs. Anything
else is not plain and says why; its commands are then those that could be made out, for rules that
forbid. Nothing is evaluated. It is the text for `bash --noprofile --norc -c`.
"""

import shlex
from dataclasses import dataclass, field

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from lararium_daemon.permissions.shell_text import MAX_COMMAND_CHARS, why_unreadable
from lararium_daemon.permissions.shell_words import ShellWord, read_word, source

_PARSER = Parser(Language(tree_sitter_bash.language()))
_MAX_DEPTH = 60
_JOINERS = frozenset({";", "\n", "&&", "||", "|"})
_RESERVED = frozenset(
    {"!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for"}
    | {"function", "if", "in", "select", "then", "time", "until", "while"}
)
_SAFE_VARIABLES = frozenset(
    {"CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM"}
    | {"LANG", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MESSAGES", "TZ"}
    | {"NODE_ENV", "RUST_BACKTRACE", "RUST_LOG", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
    | {"PYTHONHASHSEED", "PYTHONUTF8", "DEBUG", "VERBOSE"}
)
_NULL = "/dev/null"
_REASONS = {
    "command_substitution": "a command substitution",
    "process_substitution": "a process substitution",
    "simple_expansion": "a variable",
    "expansion": "an expansion",
    "arithmetic_expansion": "arithmetic, which can run code",
    "ansi_c_string": "a string with escape codes",
    "heredoc_redirect": "a here-document",
    "herestring_redirect": "a here-string",
    "file_redirect": "a redirection",
    "subshell": "a subshell",
    "compound_statement": "a group of commands",
    "function_definition": "a function",
    "negated_command": "a negation",
    "test_command": "a test",
    "declaration_command": "a declaration",
    "unset_command": "a declaration",
    "variable_assignment": "an assignment",
    "variable_assignments": "an assignment",
    "comment": "a comment",
    "if_statement": "a condition",
    "case_statement": "a condition",
    "for_statement": "a loop",
    "c_style_for_statement": "a loop",
    "while_statement": "a loop",
    "&": "a command in the background",
}


@dataclass(slots=True, frozen=True)
class SimpleCommand:
    """A program and its arguments."""

    words: tuple[ShellWord, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """The words' texts."""
        return tuple(word.text for word in self.words)


@dataclass(slots=True)
class ShellAnalysis:
    """What is known of a command line."""

    simple: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    targets: list[ShellWord] = field(default_factory=list[ShellWord])
    """Files that redirections write, without /dev/null."""
    sources: list[ShellWord] = field(default_factory=list[ShellWord])
    """Files that redirections read."""
    reason: str = ""
    """Why it is not plain."""

    @property
    def plain(self) -> bool:
        """Whether `commands` is exactly what would run."""
        return not self.reason

    @property
    def commands(self) -> list[tuple[str, ...]]:
        """The argv of each command; NUL stands for what only bash would know."""
        return [command.argv for command in self.simple]


def analyse(command: str) -> ShellAnalysis:
    """Read a command line; never fails."""
    analysis = ShellAnalysis(reason=why_unreadable(command))
    if analysis.reason:
        if len(command) <= MAX_COMMAND_CHARS:
            _collect(_parse(command), analysis)
        return analysis
    root = _parse(command)
    _collect(root, analysis)
    if root.has_error or not _covers(root, command.encode("utf-8", "replace")):
        analysis.reason = "bash syntax that cannot be read with certainty"
    elif not analysis.simple:
        analysis.reason = "no command"
    else:
        analysis.reason = _why_not_plain(root, 0)
    return analysis


def _parse(command: str) -> Node:
    return _PARSER.parse(command.encode("utf-8", "replace")).root_node


def _covers(root: Node, text: bytes) -> bool:
    """Tell whether the tree leaves nothing out but blanks: the parser skips some escapes."""
    waiting = [root]
    end = 0
    while waiting:
        node = waiting.pop()
        if node.children:
            waiting.extend(reversed(node.children))
            continue
        if text[end : node.start_byte].strip(b" \t\n"):
            return False
        end = max(end, node.end_byte)
    return not text[end:].strip(b" \t\n")


def _collect(root: Node, analysis: ShellAnalysis) -> None:
    """Note every command and redirection anywhere in the tree, in order, without recursion."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in {"command", "declaration_command", "unset_command"}:
            words = _words(node)
            if words:
                analysis.simple.append(SimpleCommand(tuple(words)))
        elif node.type == "file_redirect":
            files = analysis.sources if _operator(node) == "<" else analysis.targets
            files.extend(_targets(node))
        waiting.extend(reversed(node.children))


def _operator(redirect: Node) -> str:
    return next((child.type for child in redirect.children if not child.is_named), "")


def _targets(redirect: Node) -> list[ShellWord]:
    words = [read_word(child) for child in redirect.children_by_field_name("destination")]
    return [word for word in words if word.text not in {_NULL, "1", "2"}]


def _words(node: Node) -> list[ShellWord]:
    skipped = {"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"}
    if node.type != "command":
        return [ShellWord(source(child), is_fixed=False) for child in node.children]
    return [read_word(child) for child in node.children if child.type not in skipped]


def _why_not_plain(node: Node, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return "too many commands in one another"
    match node.type:
        case "program" | "list" | "pipeline":
            return _first_reason(node, depth)
        case "redirected_statement":
            return _why_redirected(node, depth)
        case "command":
            return _why_command(node)
        case _:
            return _REASONS.get(node.type, f"shell syntax ({node.type.replace('_', ' ')})")


def _first_reason(node: Node, depth: int) -> str:
    for child in node.children:
        if not child.is_named and child.type in _JOINERS:
            continue
        if reason := _why_not_plain(child, depth + 1):
            return reason
    return ""


def _why_redirected(node: Node, depth: int) -> str:
    for child in node.children:
        if child.type == "file_redirect":
            if not _is_harmless(child):
                return "a redirection"
        elif reason := _why_not_plain(child, depth + 1):
            return reason
    return ""


def _is_harmless(redirect: Node) -> bool:
    """Tell whether a redirection only drops output or joins two streams."""
    destinations = redirect.children_by_field_name("destination")
    if len(destinations) != 1:
        return False
    if not _has_clear_start(redirect):
        return False
    operator = _operator(redirect)
    word = read_word(destinations[0])
    if operator == ">&":
        return word.text in {"1", "2"} and word.is_fixed
    return operator in {">", ">>", "&>"} and word == ShellWord(_NULL, is_fixed=True)


def _has_clear_start(redirect: Node) -> bool:
    """Tell whether a blank goes before it and any descriptor is a digit: `-2>` begins a word."""
    descriptor = redirect.child_by_field_name("descriptor")
    if descriptor is not None and source(descriptor) not in {"1", "2"}:
        return False
    before = redirect.prev_sibling
    return before is None or before.end_byte < redirect.start_byte


def _why_command(node: Node) -> str:
    expected: list[str] = []
    for child in node.children:
        if child.type == "variable_assignment":
            if not _is_safe_assignment(child):
                return "a variable that can change what the program does"
            word = _assigned(child)
            expected.append(f"{source(child).partition('=')[0]}={word.text}")
            continue
        if child.type.endswith("_redirect"):
            return _REASONS.get(child.type, "a redirection")
        word = read_word(child)
        if not word.is_fixed:
            return _why_not_fixed(child)
        expected.append(word.text)
    name = node.child_by_field_name("name")
    if name is None or source(name) in _RESERVED:
        return "a reserved word of the shell"
    return "" if _agrees(source(node), expected) else "quotes that cannot be read with certainty"


def _is_safe_assignment(node: Node) -> bool:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None or name.type != "variable_name" or source(name) not in _SAFE_VARIABLES:
        return False
    return "+=" not in source(node).partition("=")[0] + "=" and (
        value is None or read_word(value).is_fixed
    )


def _assigned(node: Node) -> ShellWord:
    value = node.child_by_field_name("value")
    return ShellWord("", is_fixed=True) if value is None else read_word(value)


def _why_not_fixed(node: Node) -> str:
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner is not node and inner.type in _REASONS:
            return _REASONS[inner.type]
        waiting.extend(reversed(inner.named_children))
    return _REASONS.get(node.type, "a pattern that the shell expands")


def _agrees(text: str, expected: list[str]) -> bool:
    """Ask a second reader: where the two differ, neither is trusted."""
    try:
        return shlex.split(text) == expected
    except ValueError:
        return False
