"""Files in shards: the first round, the plan that comes of it, and shards that never hold a sample."""
