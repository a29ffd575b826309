"""Samples in the plane: decision regions, separators, margins and hulls."""
