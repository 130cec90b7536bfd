-- What a day has cost is summed over all sessions; the index holds those events alone.
CREATE INDEX event_spend ON event (at) WHERE type IN ('spend.raised', 'usage.updated');
