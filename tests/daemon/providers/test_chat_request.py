import json

from lararium_daemon.providers.chat_request import encode_request
from lararium_daemon.providers.provider import ModelMessage, ModelRequest, ModelToolCall, ToolSpec


def test_a_request_is_in_the_words_of_chat_completions() -> None:
    request = ModelRequest(
        "ignored",
        [
            ModelMessage("system", "be brief"),
            ModelMessage("user", "read a"),
            ModelMessage("assistant", "", (ModelToolCall("call_1", "read", '{"path":"a"}'),)),
            ModelMessage("tool", "content", tool_call_id="call_1"),
        ],
        [ToolSpec("read", "Read a file.", {"type": "object"})],
    )
    assert json.loads(encode_request(request, "m")) == {
        "model": "m",
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Read a file.",
                    "parameters": {"type": "object"},
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "read a"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"path":"a"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "content"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_no_tools_are_no_field_and_usage_can_be_left_out() -> None:
    body = json.loads(encode_request(ModelRequest("", []), "m", with_usage=False))
    assert body == {"model": "m", "messages": [], "stream": True}


def test_lone_surrogates_become_valid_utf8() -> None:
    request = ModelRequest("", [ModelMessage("tool", "cut \ud83d here 那🌍", tool_call_id="c")])
    body = encode_request(request, "m").decode("utf-8")
    assert json.loads(body)["messages"][0]["content"] == "cut \ufffd here 那🌍"
