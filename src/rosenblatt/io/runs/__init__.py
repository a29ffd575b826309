"""Runs over streams: learning chunk by chunk, and checkpoints to go on from."""
