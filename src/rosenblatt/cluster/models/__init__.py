"""Models that are used in shards: predictions and evaluations of files of any size."""
