"""What may be kept of a run beside its last weights: a pocket, a vote, an average of directions."""
