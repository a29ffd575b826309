"""Learning in shards: the driver's run, its checkpoints, and `learn`."""
