"""Compiled passes over samples, one per family of learning rules."""
