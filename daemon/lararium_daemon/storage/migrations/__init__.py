"""Numbered SQL, applied in order; `user_version` says how far a file has come."""
