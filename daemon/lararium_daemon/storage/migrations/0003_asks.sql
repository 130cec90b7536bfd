-- What the person was asked is looked for over all sessions; the index holds those events alone.
CREATE INDEX event_asks ON event (position) WHERE type = 'permission.requested';
