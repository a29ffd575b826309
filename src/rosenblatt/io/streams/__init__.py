"""Samples in chunks, from files of any size, in constant memory."""
