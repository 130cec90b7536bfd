-- A session as folded up to `seq`, so that opening a long one folds only what came after. Both tables
-- are made from the events and may be emptied at any time.
CREATE TABLE snapshot (
    session_id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    head BLOB NOT NULL
);

-- The messages of the snapshot, each whole, in the order of the state.
CREATE TABLE message (
    session_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session_id, place)
);

CREATE INDEX message_by_id ON message (session_id, message_id);
