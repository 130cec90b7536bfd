"""What of a session waits for the person: a small fold of its own, kept beside the session's row.

Pure: from events to items. An ask or a question is open until it is resolved; a run that ended or
failed is open until the session goes on or is archived. `changed` holds what the events since the
last copy made of them; the journal gives each its `seq`.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from lararium_daemon.protocol.attention import WAITING, AttentionItem, AttentionKind
from lararium_daemon.protocol.events import (
    Event,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    RunStarted,
    SessionSpawned,
    SessionUpdated,
)
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.permissions import PermissionRequest, Question
from lararium_daemon.sessions.repair import RESTARTED

DETAIL_CHARS = 200
STOPPED = "spend_stopped"
"""The person said that no more is to be spent."""


@dataclass(slots=True)
class Attention:
    """The open items of one session."""

    session_id: SessionId
    title: str = ""
    run_started_at: str | None = None
    is_subagent: bool = False
    """What ends here ends within another session's run, and is no news of its own."""
    open: dict[str, AttentionItem] = field(default_factory=dict[str, AttentionItem])
    """By id, oldest first."""
    changed: dict[str, AttentionItem] = field(default_factory=dict[str, AttentionItem])
    """The newest form of each item that is new or changed, resolved ones too."""

    def copy(self) -> "Attention":
        """Give a copy that can run ahead, with nothing changed yet."""
        return replace(self, open=dict(self.open), changed={})

    def apply(self, event: Event, at: str) -> None:
        """Fold a durable event in; most change nothing here."""
        match event:
            case PermissionRequested(request=request):
                self._put(self._of_request(request, at))
            case QuestionAsked(question=question):
                self._put(self._of_question(question, at))
            case PermissionResolved(request_id=item_id) | QuestionResolved(question_id=item_id):
                self._resolve(item_id, at)
            case SessionSpawned():
                self.is_subagent = True
            case RunStarted():
                self.run_started_at = at
                self._resolve_ended(at)
            case RunEnded():
                self._end(event, at)
            case SessionUpdated():
                self._update(event, at)
            case _:
                pass

    def _of_request(self, request: PermissionRequest, at: str) -> AttentionItem:
        return self._item(
            request.id,
            "needs_you",
            at,
            request.title,
            request_id=request.id,
            tool=request.tool,
            program=request.program,
            shown_sha256=request.shown_sha256,
            allow_once=request.allow_once,
        )

    def _of_question(self, question: Question, at: str) -> AttentionItem:
        text = question.items[0].text if question.items else ""
        code = "spend_cap" if question.spend is not None else ""
        return self._item(question.id, "question", at, text, request_id=question.id, code=code)

    def _item(
        self, item_id: str, kind: AttentionKind, at: str, detail: str, **more: object
    ) -> AttentionItem:
        plain = AttentionItem(
            id=item_id,
            seq=0,
            kind=kind,
            session_id=self.session_id,
            title=self.title,
            detail=_line(detail),
            at=at,
        )
        return replace(plain, **more)

    def _end(self, event: RunEnded, at: str) -> None:
        kind = None if self.is_subagent else _kind_of(event)
        if kind is not None:
            detail = event.text if kind == "finished" else event.detail or event.text
            seconds = _seconds_between(self.run_started_at, at)
            code = event.code or event.outcome
            self._put(self._item(event.run_id, kind, at, detail, run_seconds=seconds, code=code))
        self.run_started_at = None

    def _update(self, event: SessionUpdated, at: str) -> None:
        if event.title != self.title:
            self.title = event.title
            for item in list(self.open.values()):
                self._put(replace(item, title=event.title))
        if event.archived:
            self._resolve_ended(at)

    def _put(self, item: AttentionItem) -> None:
        self.open[item.id] = self.changed[item.id] = item

    def _resolve(self, item_id: str, at: str) -> None:
        item = self.open.pop(item_id, None)
        if item is not None:
            self.changed[item_id] = replace(item, resolved_at=at)

    def _resolve_ended(self, at: str) -> None:
        for item in list(self.open.values()):
            if item.kind not in WAITING:
                self._resolve(item.id, at)


def _kind_of(event: RunEnded) -> AttentionKind | None:
    """Give what the end is to the person; None when they made it themselves."""
    match event.outcome:
        case "completed":
            return "finished"
        case "interrupted":
            return "failed" if event.code == RESTARTED else None
        case "budget" | "refused_by_model" | "error":
            return "failed" if event.code != STOPPED else None


def _seconds_between(start: str | None, end: str) -> float | None:
    if start is None:
        return None
    try:
        passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:  # a rotten byte in the journal
        return None
    return max(0.0, round(passed.total_seconds(), 3))


def _line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first if len(first) <= DETAIL_CHARS else first[: DETAIL_CHARS - 1] + "…"
