"""Where shards run: on threads or on Ray."""
