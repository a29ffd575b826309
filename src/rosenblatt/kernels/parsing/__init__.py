"""Compiled parsers of text: decimal numbers, lines of samples."""
