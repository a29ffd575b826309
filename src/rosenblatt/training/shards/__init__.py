"""Learning in shards: who has which samples, and how what they learn is mixed."""
