"""Sessions: the journal folded to state, runs, fan-out to clients."""
