"""Learning in shards: which shard has which samples, and how their weights are mixed."""
