"""Real files with a few changed bytes: each is refused in one sentence, or read correctly.

A seed, a target and a number determine a mutant, so that any one of a million can be reproduced.
"""
