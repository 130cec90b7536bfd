"""What the tour says and does next. Pure: a story in, a step out.

It shows, in this order: text that streams, a file that is read, a change that is asked for, a
command that is asked for, a question, and the end. Whatever was denied is told and passed over.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from lararium_daemon.providers.tour_story import TourCall, TourStory

FILE = "lamp.py"
COMMAND = "python3 -m unittest"
WRONG = "    return oil_millilitres / MILLILITRES_PER_HOUR"
RIGHT = "    return oil_millilitres / (MILLILITRES_PER_HOUR * wicks)"
MAX_QUOTE = 120

_NOTHING_MORE = "No, that is all"
_IN_README = "In README.md"
_CHOOSE = (
    "To have real work done, choose a model: one on this machine, or one with your key. The picker "
    "in the composer shows what was found."
)


@dataclass(slots=True, frozen=True)
class Step:
    """One answer of the tour."""

    text: str
    tool: str = ""
    """The tool to call after the text, "" for none: the run ends then."""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


def next_step(story: TourStory, offered: Collection[str], *, is_sample: bool) -> Step:
    """Give the next step; a tool that is not `offered` is passed over."""
    if story.is_over and story.is_asked:
        return _after_the_end(story)
    steps = _IN_SAMPLE if is_sample else _ELSEWHERE
    for step in steps:
        made = step(story)
        if made is not None and (not made.tool or made.tool in offered):
            return made
    return Step(f"That is all this script has to show. {_CHOOSE}")


def _after_the_end(story: TourStory) -> Step:
    return Step(
        f"{_quote(story.said)}This is where the script ends: it is no AI and cannot work on that. "
        f'{_CHOOSE} Say "again" to see the tour once more.'
    )


def _greet_and_read(story: TourStory) -> Step | None:
    if story.last("read_file") is not None:
        return None
    heard = "" if story.is_first else _quote(story.said)
    text = (
        f"{heard}Welcome. **This is the tour: a script that runs offline, not an AI.** It plays "
        "an agent in a small sample project, so that you can see what working with one is like. "
        "What it does is real: files, commands and questions go the same way as with a model.\n\n"
        "The sample works out how long an oil lamp burns, and one of its tests fails. First I read "
        f"the code. Reading inside the project needs no permission, so `{FILE}` opens at once."
    )
    return Step(text, "read_file", {"path": FILE})


def _fix(story: TourStory) -> Step | None:
    read = story.last("read_file")
    if read is None or story.last("edit_file") is not None or not _has_line(read, WRONG):
        return None
    text = (
        "There it is: `hours_of_light` is told how many wicks burn, and divides by one of them "
        "only. The change is one line.\n\nChanging a file needs your permission. The card shows "
        "exactly what would change: *Allow once* lets this change through, *Deny* keeps the file "
        "as it is and tells me so."
    )
    return Step(text, "edit_file", {"path": FILE, "old_string": WRONG, "new_string": RIGHT})


def _run_tests(story: TourStory) -> Step | None:
    if story.last("bash") is not None:
        return None
    edit, read = story.last("edit_file"), story.last("read_file")
    if edit is None:
        is_fixed = read is not None and _has_line(read, RIGHT)
        begin = (
            "The line is right already, so there is nothing to change."
            if is_fixed
            else "The file is not as the tour left it, so I leave it alone."
        )
    elif edit.outcome == "denied":
        begin = (
            "You denied it, so the file is as it was. That is all a denial does: the agent is "
            "told, and goes on without."
        )
    elif edit.outcome == "failed":
        begin = "The change did not go through; the result above says why. Nothing was written."
    else:
        begin = "The file is changed; the row above keeps the difference."
    text = (
        f"{begin}\n\nNow the tests. A command is asked about too, unless a rule of yours allows "
        "it. *Always* would store such a rule; the card shows it before you choose."
    )
    return Step(text, "bash", {"command": COMMAND})


def _ask(story: TourStory) -> Step | None:
    if story.last("ask_user") is not None:
        return None
    run = story.last("bash")
    if run is None or run.outcome == "denied":
        begin = "Then the tests stay unrun, and I would tell you so in my summary."
    elif run.outcome == "failed":
        begin = "The command failed; its output is one click away. A model would read it and go on."
    else:
        begin = "All tests pass. The output is one click away."
    question = {
        "question": "Shall I note the change somewhere?",
        "options": [
            {"label": _IN_README, "description": "One line at the end; you will be asked again."},
            {"label": _NOTHING_MORE, "description": "Leave the rest as it is."},
        ],
    }
    text = f"{begin}\n\nAn agent may also ask *you*. Choose an answer, or write one of your own."
    return Step(text, "ask_user", {"questions": [question]})


def _note(story: TourStory) -> Step | None:
    answer = story.last("ask_user")
    is_noted = any(call.arguments.get("path") == "README.md" for call in story.calls)
    if answer is None or is_noted or f"→ {_IN_README}" not in answer.result:
        return None
    old = "- `lamp.py` has the sums, and one mistake."
    new = "- `lamp.py` has the sums. Its one mistake was mended: every wick counts."
    return Step(
        "One line in the README, then.",
        "edit_file",
        {"path": "README.md", "old_string": old, "new_string": new},
    )


def _complete(story: TourStory) -> Step | None:
    answer = story.last("ask_user")
    own = answer.own_words if answer is not None else ""
    begin = (
        f"{_quote(own)}A model would go by that; the script can only pass it on. " if own else ""
    )
    changed = [
        call.arguments.get("path", "")
        for call in story.calls
        if call.tool == "edit_file" and call.outcome == "done"
    ]
    done = (
        f"Changed: {', '.join(f'`{path}`' for path in changed)}."
        if changed
        else ("No file was changed.")
    )
    run = story.last("bash")
    checked = {"done": "The tests pass.", "failed": "The tests do not pass.", "denied": ""}
    tests = checked[run.outcome] if run is not None else ""
    summary = " ".join(
        filter(
            None,
            [
                "You have seen an answer stream, a file read, a change and a command approved or "
                "denied, and a question.",
                done,
                tests or "The tests were not run.",
                "This was a script; the sample project can be removed at any time.",
                _CHOOSE,
            ],
        )
    )
    return Step(f"{begin}That is the whole round.", "task_complete", {"summary": summary})


def _look_around(story: TourStory) -> Step | None:
    if story.last("glob") is not None:
        return None
    text = (
        f"{_quote(story.said)}**This is the tour: a script that runs offline, not an AI.** This "
        "folder is not its sample project, so it will change nothing and run nothing here. All it "
        "offers is to look: these are the files at the top of the folder."
    )
    return Step(text, "glob", {"pattern": "*"})


def _say_how_to_go_on(story: TourStory) -> Step | None:
    again = "" if not story.is_asked or story.is_first else _quote(story.said)
    return Step(
        f"{again}I only read here, nothing was changed. The tour itself needs its own sample "
        f"project: *Take the tour* in the menu of projects makes one. {_CHOOSE}"
    )


_IN_SAMPLE: tuple[Callable[[TourStory], Step | None], ...] = (
    _greet_and_read,
    _fix,
    _run_tests,
    _ask,
    _note,
    _complete,
)
_ELSEWHERE: tuple[Callable[[TourStory], Step | None], ...] = (_look_around, _say_how_to_go_on)


def _has_line(read: TourCall, line: str) -> bool:
    """Whether a file that was read, with its line numbers, has this line."""
    return any(re.sub(r"^\s*\d+\t", "", each) == line for each in read.result.splitlines())


def _quote(said: str) -> str:
    """Say that it was heard, without a claim that it was understood."""
    flat = " ".join(said.split())
    if not flat:
        return ""
    shown = flat if len(flat) <= MAX_QUOTE else flat[: MAX_QUOTE - 1] + "…"
    return f"You wrote “{shown}”. "
