"""Find, prove, start, stop and talk to a daemon; the standard library alone on its fast path."""
