"""A session's row in the list, from its fold."""

from lararium_daemon.protocol.state import Activity, SessionSummary
from lararium_daemon.sessions.fold import Fold

FACT_CHARS = 120


def summarize(fold: Fold) -> SessionSummary:
    """Give the row; cheap enough for every commit."""
    state = fold.state
    activity = _activity(fold)
    return SessionSummary(
        id=state.session_id,
        title=state.title,
        mode=state.mode,
        model=state.model,
        archived=state.archived,
        pinned=state.pinned,
        created_at=state.created_at,
        updated_at=state.updated_at,
        activity=activity,
        fact=_fact(fold, activity),
        last_outcome=state.runs[-1].outcome if state.runs else None,
        message_count=len(state.messages),
    )


def _activity(fold: Fold) -> Activity:
    if fold.state.requests or fold.state.questions:
        return "needs_you"
    if fold.is_running:
        return "running"
    return "queued" if fold.transcript.queued else "idle"


def _fact(fold: Fold, activity: Activity) -> str:
    state = fold.state
    match activity:
        case "idle":
            return ""
        case "queued":
            return "Waits for its turn"
        case "needs_you" if state.requests:
            first = state.requests[0]
            call = fold.transcript.calls.get(first.call_id)
            return _line(call.title if call and call.title else first.title)
        case "needs_you":
            return _line(state.questions[0].items[0].text)
        case "running":
            for call_id in reversed(fold.intents):
                call = fold.transcript.calls.get(call_id)
                if call is not None:
                    return _line(call.title or call.tool)
            return "Thinks"


def _line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first if len(first) <= FACT_CHARS else first[: FACT_CHARS - 1] + "…"
