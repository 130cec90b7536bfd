"""Whether a run that was cut can wait on: all that it left open are asks of the person.

Then nothing is lost by the cut. No model call and no tool was under way, so the run goes on at the
very place once there is a daemon again, with the same cards.
"""

from lararium_daemon.sessions.fold import Fold


def waits_for_person(fold: Fold) -> bool:
    """Say whether an open run waits for the person and for nothing else."""
    state = fold.state
    if not fold.is_running or fold.open_turn is not None or not (state.requests or state.questions):
        return False
    # Whether it may spend more is asked between two model calls, and no call of a tool waits then.
    asked = {question.call_id for question in state.questions if question.spend is None}
    calls = [fold.transcript.calls.get(request.call_id) for request in state.requests]
    return asked == set(fold.intents) and all(call and call.state == "pending" for call in calls)
