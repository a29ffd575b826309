"""Alternatives to predicting with a run's last weights: an average, a pocket or a vote."""
