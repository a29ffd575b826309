"""Shared by all learners: validation, the learned state, decisions, warnings."""
