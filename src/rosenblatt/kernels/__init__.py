"""Compiled loops over arrays: how samples lie in memory, how they are scored, what a sign is."""
