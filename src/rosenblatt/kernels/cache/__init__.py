"""Compiled code on disk: what it was made of, where it lies, and who may have written it."""
