"""Predictions for files, chunk by chunk, and their evaluation."""
