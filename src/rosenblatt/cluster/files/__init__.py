"""Files in shards: the first round, the plan it produces, and shards that describe samples."""
