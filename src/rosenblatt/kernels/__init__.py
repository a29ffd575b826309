"""Compiled loops over arrays: storage of samples, scores, exact signs, epochs, parsers."""
