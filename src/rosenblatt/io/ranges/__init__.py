"""Ranges of files for a model that is known: found without a survey, and read by themselves."""
