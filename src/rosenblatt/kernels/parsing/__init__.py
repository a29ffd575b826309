"""Compiled parsers: decimal numbers, lines of samples."""
