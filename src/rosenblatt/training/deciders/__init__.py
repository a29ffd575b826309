"""What may be kept of a run beside its last weights: a pocket, or a vote."""
