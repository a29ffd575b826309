"""Separability, decided: a separating hyperplane with its margin, or the proof that there is none."""
