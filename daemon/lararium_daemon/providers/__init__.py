"""How models are reached: the provider protocol, one file per kind, the stream decoder."""
