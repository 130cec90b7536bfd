-- What waits for the person and what ended, a fold of the events, written in the transaction of the
-- event that changed it. An item that changes moves to a new seq; none is used twice.
CREATE TABLE attention (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    item BLOB NOT NULL
);

CREATE INDEX attention_by_session ON attention (session_id);
