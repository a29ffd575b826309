"""The tasks of a shard in one round: an epoch, or the check after learning."""
