"""P14: from the start of the window's process to the first picture that says something."""

import http.server
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from PIL import ImageGrab
from tests.bench.figures import Figure, in_pairs
from tests.bench.shell import LARARIUM, program, screen, shell
from tests.e2e.rig import Rig

REPEATS = 5
PAINT_SECONDS = 30.0
PAUSE_SECONDS = 0.01
SAID = 0.01
"""So much of the window is of another colour than most of it, once there are words in it."""
INSIDE = (60, 120, 1180, 720)
"""Of the screen: a part that the window covers, without its frame."""
PAGE = f"<!doctype html><title>Bare</title><body>{'<h1>A few words</h1>' * 12}"


def window_start() -> list[Figure]:
    """Measure it beside a bare window of the same library on a page of a few words."""
    with screen() as rig, shell(rig) as running, _bare_page() as address:
        running.open(*running.add("project"))
        ours, floor = in_pairs(lambda: _ours(rig), lambda: _bare(rig, address), REPEATS)
    what = "window process to first meaningful paint / bare pywebview window"
    return [Figure("P14", what, ours, floor, "s", 1.25)]


def _ours(rig: Rig) -> float:
    begun = time.perf_counter()
    window = rig.start("window", *LARARIUM, "_window")
    try:
        return _painted(rig) - begun
    finally:
        window.terminate()
        window.wait(PAINT_SECONDS)
        rig.children.remove(window)
        _wait(lambda: not _says_something(rig))


def _bare(rig: Rig, address: str) -> float:
    begun = time.perf_counter()
    with program(rig, "bare_window.py", address):
        painted = _painted(rig)
    _wait(lambda: not _says_something(rig))
    return painted - begun


def _painted(rig: Rig) -> float:
    _wait(lambda: _says_something(rig))
    return time.perf_counter()


def _wait(is_so: Callable[[], bool]) -> None:
    give_up = time.perf_counter() + PAINT_SECONDS
    while not is_so():
        if time.perf_counter() > give_up:
            raise TimeoutError("the screen does not become what it should")
        time.sleep(PAUSE_SECONDS)


def _says_something(rig: Rig) -> bool:
    picture = ImageGrab.grab(INSIDE, xdisplay=rig.environment["DISPLAY"]).convert("L")
    pixels = picture.tobytes()[::7]
    [(_, most)] = Counter(pixels).most_common(1)
    return 1 - most / len(pixels) > SAID


@contextmanager
def _bare_page() -> Generator[str]:
    """Serve the page of a few words."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
