"""What a worker does with its shard in a round: learn, measure, hash, find the worst, predict."""
