"""Reading files in blocks of samples: surveyed once, then read block by block in any order."""
