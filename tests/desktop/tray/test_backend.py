"""Without a usable tray backend the tray says why; it is never loaded half."""

from types import SimpleNamespace
from typing import Any

import pytest

from lararium_desktop.tray.backend import NoBackendError, choose_backend


def module(*, has_menu: bool = True) -> Any:
    return SimpleNamespace(Icon=type("Icon", (), {"HAS_MENU": has_menu}))


def loader(**modules: Any) -> Any:
    def load(name: str) -> Any:
        found = modules[name]
        if isinstance(found, Exception):
            raise found
        return found

    return load


def test_the_first_backend_that_works_is_taken():
    assert (
        choose_backend("linux", loader(appindicator=module(), gtk=module())).name == "appindicator"
    )


@pytest.mark.parametrize(
    "failure",
    [
        ImportError("No module named 'gi'"),
        ValueError("Namespace AyatanaAppIndicator3 not available"),
        OSError("libgtk-3.so.0: cannot open shared object file"),
    ],
)
def test_a_backend_that_cannot_be_imported_gives_way_to_the_next(failure: Exception):
    assert choose_backend("linux", loader(appindicator=failure, gtk=module())).name == "gtk"


def test_a_backend_without_a_menu_is_no_backend():
    with pytest.raises(NoBackendError) as caught:
        choose_backend(
            "linux", loader(appindicator=ImportError("no gi"), gtk=module(has_menu=False))
        )
    assert str(caught.value) == "appindicator: no gi; gtk: it has no menu"


def test_an_unknown_system_has_none():
    with pytest.raises(NoBackendError, match="there is none for plan9"):
        choose_backend("plan9", loader())


@pytest.mark.parametrize(("platform", "name"), [("darwin", "darwin"), ("win32", "win32")])
def test_other_systems_have_one_of_their_own(platform: str, name: str):
    assert choose_backend(platform, loader(**{name: module()})).name == name
