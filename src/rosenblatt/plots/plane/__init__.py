"""Samples in the plane: regions, separators, margins, hulls, updates, films."""
