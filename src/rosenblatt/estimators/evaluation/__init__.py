"""How good a learner is on samples that it has not learned from."""
