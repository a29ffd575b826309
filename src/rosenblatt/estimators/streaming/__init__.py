"""Learning from streams of chunks or single samples."""
