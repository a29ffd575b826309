"""Attacks on the public surface, from outside, with oracles of their own.

They share no code with the package, and none with its tests.

Each attack is a function of a seed and a count that returns a `Report`. ``python -m attack`` runs them
all and prints the table of docs/guide/reliability.md; ``pytest -m slow`` runs them as tests.
"""
