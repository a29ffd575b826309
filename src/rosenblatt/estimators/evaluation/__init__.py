"""Evaluation of learners on samples that they have not learned from."""
