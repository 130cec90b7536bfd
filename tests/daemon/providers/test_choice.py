from dataclasses import replace
from pathlib import Path

import pytest

from lararium_daemon.providers.choice import Book, Choice, choose
from lararium_daemon.providers.profiles import NO_MODEL, Profile
from lararium_daemon.providers.saved_profiles import saved_profiles, tour_profile
from lararium_daemon.providers.workspace_choice import WorkspaceChoice, read_choice, write_choice
from lararium_daemon.settings import Settings

A = Profile("A", "https://a.example/v1", model="a1")
B = Profile("B", "https://b.example/v1")
ENVIRONMENT = Profile("env.example", "https://env.example/v1", model="e1")
FOUND = Profile("Ollama", "http://127.0.0.1:11434/v1", model="o1", source="discovered")
FULL = Book((A, B), ENVIRONMENT, FOUND, default="B", workspace=WorkspaceChoice("Ollama", "w1"))


def chosen(book: Book, model: str | None = None) -> tuple[str, str]:
    choice = choose(book, model)
    assert choice.problem == ""
    return (choice.profile.name if choice.profile else "", choice.model)


def test_each_step_of_the_order_gives_way_to_the_one_before() -> None:
    assert chosen(FULL, "A/x") == ("A", "x")
    assert chosen(FULL) == ("Ollama", "w1")
    book = replace(FULL, workspace=WorkspaceChoice())
    assert chosen(book) == ("B", "")
    book = replace(book, default="")
    assert chosen(book) == ("A", "a1")
    book = replace(book, saved=())
    assert chosen(book) == ("env.example", "e1")
    book = replace(book, unnamed=None)
    assert chosen(book) == ("Ollama", "o1")
    assert choose(replace(book, found=None), None) == Choice(None, problem=NO_MODEL)


def test_a_session_names_a_profile_a_model_or_both() -> None:
    assert chosen(FULL, "B/vendor/model") == ("B", "vendor/model")
    assert chosen(FULL, "A/") == ("A", "a1")
    assert chosen(FULL, "other") == ("Ollama", "other")
    assert chosen(FULL, "vendor/model") == ("Ollama", "vendor/model")
    assert chosen(FULL, "Tour/scripted") == ("Tour", "scripted")
    assert chosen(FULL, "") == ("Ollama", "w1")


def test_in_the_sample_project_the_tour_answers_unless_something_was_chosen_there() -> None:
    sample = replace(FULL, is_sample=True)
    assert chosen(sample) == ("Ollama", "w1")
    assert chosen(replace(sample, workspace=WorkspaceChoice())) == ("Tour", "scripted")
    assert chosen(Book(is_sample=True)) == ("Tour", "scripted")
    assert chosen(Book(is_sample=True), "a-model") == ("Tour", "scripted")
    assert chosen(replace(sample, workspace=WorkspaceChoice()), "A/x") == ("A", "x")


@pytest.mark.parametrize(
    "book",
    [
        replace(FULL, default="Gone", workspace=WorkspaceChoice()),
        replace(FULL, workspace=WorkspaceChoice("Gone")),
    ],
)
def test_what_was_chosen_by_name_and_is_gone_is_no_reason_to_go_elsewhere(book: Book) -> None:
    for model in (None, "m"):
        choice = choose(book, model)
        assert choice.profile is None
        assert "Gone" in choice.problem
        assert "kept" in choice.problem


def test_a_problem_of_the_chosen_profile_is_the_problem() -> None:
    broken = replace(A, problem="No address.")
    assert choose(Book((broken, B)), None).problem == "No address."
    assert choose(Book((B, broken)), "A/m").problem == "No address."


def test_the_tour_is_listed_last_and_once() -> None:
    assert [profile.name for profile in FULL.all()] == ["A", "B", "env.example", "Ollama", "Tour"]
    assert [profile.name for profile in Book((tour_profile(),)).all()] == ["Tour"]


def test_a_workspaces_choice_is_kept_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    assert read_choice(path) == WorkspaceChoice()
    write_choice(path, WorkspaceChoice("A", "m"))
    assert read_choice(path) == WorkspaceChoice("A", "m")
    write_choice(path, WorkspaceChoice())
    assert not path.exists()
    write_choice(path, WorkspaceChoice())


@pytest.mark.parametrize("content", ["", "[]", "{}", "7", '{"profile": ', "\x00"])
def test_a_choice_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(content, encoding="utf-8")
    choice = choose(Book((A,), workspace=read_choice(path)), None)
    assert choice.profile is None
    assert str(path) in choice.problem


def saved(**fields: object) -> Profile:
    return saved_profiles(Settings.model_validate({"profiles": {"P": fields}}))[0]


def test_a_saved_profile_is_tidied_and_its_faults_are_sentences() -> None:
    profile = saved(base_url=" https://x.example/v1/chat/completions/ ", model=" m ", key="env:K")
    assert (profile.base_url, profile.model, profile.problem) == ("https://x.example/v1", "m", "")
    assert (profile.key_reference, profile.is_saved, profile.source) == ("env:K", True, "settings")
    assert "no address" in saved().problem
    assert "profile P" in saved(base_url="nonsense").problem
    assert "X-Org" in saved(base_url="https://x.example", headers={"X-Org": "a\nb"}).problem
    assert "header" in saved(base_url="https://x.example", headers={"X Org": "a"}).problem
    assert "the key" in saved(base_url="http://x.example/v1", key="env:K").notice
    tour = saved(kind="tour")
    assert (tour.name, tour.kind, tour.problem, tour.source) == ("P", "tour", "", "settings")
