"""What a stream carries of its reasoning is gathered into the shape that goes back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.providers.kept_reasoning import KeptReasoning

Json = dict[str, Any]


def kept(*deltas: Json, calls: list[Json] | None = None) -> Reasoning | None:
    gathered = KeptReasoning()
    for delta in deltas:
        gathered.take(delta)
    return gathered.reasoning(calls or [])


def text(value: str, **more: Any) -> Json:
    return {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": value, **more}]}


def test_an_answer_that_carried_nothing_keeps_nothing() -> None:
    assert kept({"content": "hi"}, {"reasoning_content": None}, calls=[{}, {}]) is None


def test_the_field_that_showed_it_is_known_also_when_it_was_empty() -> None:
    assert kept({"reasoning_content": ""}) == Reasoning(shown_in="reasoning_content")
    assert kept({"reasoning": "hm"}) == Reasoning(shown_in="reasoning")
    assert kept({"reasoning": ""}) is None


@given(st.lists(st.text("ab", min_size=1), min_size=1, max_size=6))
def test_pieces_of_a_detail_become_one_whether_a_server_adds_or_repeats(pieces: list[str]) -> None:
    added = kept(*(text(piece) for piece in pieces), text("", signature="s"))
    so_far = ["".join(pieces[: n + 1]) for n in range(len(pieces))]
    repeated = kept(*(text(each, format="MiniMax-response-v1") for each in so_far))

    assert added is not None
    assert repeated is not None
    whole = {"type": "reasoning.text", "index": 0, "text": "".join(pieces)}
    assert added.fields == {"reasoning_details": [{**whole, "signature": "s"}]}
    assert repeated.fields["reasoning_details"][0]["text"] == "".join(pieces)
    assert added.shown_in == ""


def test_details_of_other_kinds_and_without_a_place_stay_apart() -> None:
    sealed: Json = {"type": "reasoning.encrypted", "data": "QQ=="}
    both = kept(text("a"), {"reasoning_details": [sealed]}, {"reasoning_details": [sealed]})

    assert both is not None
    assert [d["type"] for d in both.fields["reasoning_details"]] == [
        "reasoning.text",
        "reasoning.encrypted",
        "reasoning.encrypted",
    ]


def test_what_is_no_detail_is_passed_over() -> None:
    assert kept({"reasoning_details": "x"}, {"reasoning_details": [None, 3]}) is None
