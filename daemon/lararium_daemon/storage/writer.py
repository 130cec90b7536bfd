"""The one thread that writes: takes one job, drains what else waits, and commits them together.

No waiting window: while one commit is on its way to the disk the next ones gather by themselves.
A job that fails takes nobody with it: the others are tried again one by one.
"""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import anyio

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.storage.database import connect
from lararium_daemon.storage.failures import is_out_of_room, storage_error
from lararium_daemon.storage.reserve import Reserve

logger = logging.getLogger(__name__)

Work = Callable[[sqlite3.Connection], None]

CHECKPOINT_PAGES = 4_000
"""16 MB: a writer that never rests checkpoints by itself then."""
REST_SECONDS = 2.0
"""A pause after which the write-ahead log goes into the file, off everybody's path."""
CLOSE_SECONDS = 10.0


class _Job:
    __slots__ = ("done", "error", "is_awaited", "is_last_word", "work")

    def __init__(self, work: Work, *, is_awaited: bool, is_last_word: bool = False) -> None:
        self.work = work
        self.is_awaited = is_awaited
        self.is_last_word = is_last_word
        self.done = anyio.Event()
        self.error: sqlite3.Error | None = None


class Writer:
    """Owner of the writing connection and its thread."""

    def __init__(self, path: Path, reserve: Reserve) -> None:
        self._path = path
        self._reserve = reserve
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_closed = False
        self._connection = connect(path)
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        self._thread = threading.Thread(target=self._serve, name="journal-writer", daemon=True)
        self._thread.start()

    async def submit(self, work: Work, *, is_last_word: bool = False) -> None:
        """Do the work in a transaction; return once it is committed.

        A last word may use the room that is kept for a full disk.

        Cancelling the wait does not undo the work: whoever must know shields it. The wait is
        bounded by SQLite's own (5 s for a lock) and the disk.

        Raises:
            LarariumError: `storage_full`, `storage_busy`, `storage_failed`, `storage_closed`.
        """
        if self._is_closed:
            raise LarariumError("storage_closed", "The project's journal is closed.", 503)
        job = _Job(work, is_awaited=True, is_last_word=is_last_word)
        self._jobs.put(job)
        await job.done.wait()
        if job.error is not None:
            raise storage_error(job.error, self._path) from job.error

    def submit_later(self, work: Work) -> None:
        """Do the work some time, after all that was submitted before; a failure is logged alone."""
        if not self._is_closed:
            self._jobs.put(_Job(work, is_awaited=False))

    def close(self) -> None:
        """Commit what waits, empty the write-ahead log and end the thread; may be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self._jobs.put(None)
        self._thread.join(CLOSE_SECONDS)

    def _serve(self) -> None:
        is_rested = True
        while True:
            try:
                first = self._jobs.get(timeout=None if is_rested else REST_SECONDS)
            except queue.Empty:
                self._checkpoint("PASSIVE")
                is_rested = True
                continue
            jobs, is_last = self._drain(first)
            if jobs:
                self._commit(jobs)
                self._loop.call_soon_threadsafe(_tell, jobs)
                is_rested = False
            if is_last:
                self._checkpoint("TRUNCATE")
                self._connection.close()
                return

    def _drain(self, first: _Job | None) -> tuple[list[_Job], bool]:
        jobs: list[_Job] = []
        job = first
        while job is not None:
            jobs.append(job)
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, True

    def _commit(self, jobs: list[_Job]) -> None:
        error = self._try(jobs)
        if error is None:
            return
        for job in jobs:
            job.error = error if len(jobs) == 1 else self._try([job])
            is_full = job.error is not None and is_out_of_room(job.error, self._path)
            if is_full and job.is_last_word and self._reserve.release():
                job.error = self._try([job])

    def _try(self, jobs: list[_Job]) -> sqlite3.Error | None:
        if self._reserve.is_spent() and not all(job.is_last_word for job in jobs):
            return _no_room()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.work(self._connection)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            return error
        return None

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            logger.exception("Rolling back a failed transaction failed")

    def _checkpoint(self, kind: str) -> None:
        try:
            self._connection.execute(f"PRAGMA wal_checkpoint({kind})")
        except sqlite3.Error:
            logger.exception("Moving the write-ahead log into the journal failed")


def _no_room() -> sqlite3.Error:
    error = sqlite3.OperationalError("what is left of the disk is kept for last words")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


def _tell(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.error is not None and not job.is_awaited:
            logger.warning("What nobody waits for could not be written: %s", job.error)
        job.done.set()
