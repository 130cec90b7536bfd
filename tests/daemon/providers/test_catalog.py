from typing import Any

import pytest

from lararium_daemon.providers.catalog import choose_default, read_models


def listed(*names: str) -> dict[str, Any]:
    return {"data": [{"id": name, "created": n} for n, name in enumerate(names)]}


def default_of(*names: str, is_openai: bool = False) -> str:
    body = listed(*names)
    return choose_default(body, read_models(body), is_openai)


def test_the_first_model_that_can_hold_a_session_is_the_default() -> None:
    assert default_of("nomic-embed-text", "whisper-1", "llama3.1:8b", "qwen3") == "llama3.1:8b"
    assert default_of("nomic-embed-text") == ""
    assert default_of() == ""


def test_of_openai_it_is_the_newest_general_one() -> None:
    names = ("gpt-3.5-turbo", "gpt-4o-audio", "gpt-4o", "gpt-5.2", "gpt-5.2-mini", "tts-1")
    assert default_of(*names, is_openai=True) == "gpt-5.2"
    assert default_of("o9", is_openai=True) == "o9"


def test_names_and_windows_are_read_in_several_dialects() -> None:
    body: Any = {
        "models": [
            {"name": "a", "context_length": 4096},
            {"id": "b", "max_model_len": 8192},
            {"id": "c", "context_window": "many"},
            {"id": ""},
            {"id": 7},
            None,
        ]
    }
    models = read_models(body)
    assert [(m.name, m.context_window) for m in models] == [("a", 4096), ("b", 8192), ("c", None)]
    assert [m.name for m in read_models([{"id": "d"}])] == ["d"]


@pytest.mark.parametrize("body", [{}, {"data": None}, "x", None, {"error": "no"}])
def test_what_is_no_list_is_refused(body: Any) -> None:
    with pytest.raises(ValueError, match="no list"):
        read_models(body)
