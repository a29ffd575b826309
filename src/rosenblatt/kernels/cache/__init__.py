"""The cache of compiled code on disk: what its key covers, where it is, and which files are trusted."""
