"""Attacks on the public API, with oracles that share no code with the package or its other tests.

Each attack is a function of a seed and a count that returns a `Report`. ``python -m attack`` runs them
all and prints the table of docs/guide/reliability.md; ``pytest -m slow`` runs them as tests.
"""
