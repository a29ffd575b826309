"""Learners with scikit-learn's contract."""
