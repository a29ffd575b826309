"""Inspection of fitted models: their parts, weights by name, and explanations of predictions."""
