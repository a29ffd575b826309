"""Learners with scikit-learn's interface."""
