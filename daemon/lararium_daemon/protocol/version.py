"""The version of the API; apart from its models so that a terminal need not load pydantic."""

API_MAJOR = 1
"""Same major works both ways."""
API_MINOR = 1
"""Grows with each thing a client may want to send; `client/versions.py` says which came when."""
