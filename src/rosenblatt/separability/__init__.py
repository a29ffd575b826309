"""Deciding separability: a separating hyperplane with its margin, or a proof that none exists."""
