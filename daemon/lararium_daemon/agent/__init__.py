"""The loop, its context and budget; no I/O of its own."""
