"""Shared by all packages: errors, types, labels, files, threads."""
