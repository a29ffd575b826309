"""Runs over streams: learning chunk by chunk, with checkpoints."""
