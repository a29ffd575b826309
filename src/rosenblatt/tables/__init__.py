"""Encoding of mixed tables as numbers: each column is learned once, then always encoded the same way."""
