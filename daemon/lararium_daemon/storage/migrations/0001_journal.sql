-- The journal: append-only, the truth. `position` orders events over all sessions and is never
-- used twice, so that a cursor stays right when a session is deleted.
CREATE TABLE event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    payload BLOB NOT NULL,
    UNIQUE (session_id, seq)
);

-- One row a session, a fold of its events, written in the transaction of the event that changed it.
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    archived INTEGER NOT NULL,
    activity TEXT NOT NULL,
    summary BLOB NOT NULL
) WITHOUT ROWID;

CREATE INDEX session_by_age ON session (archived, updated_at DESC, id);
