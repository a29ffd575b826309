"""Real files with a few bytes changed: each is refused in one sentence, or read as what it says.

A mutant is known by a seed, a target and a number, so that any one of a million can be made again.
"""
