"""What is proved of samples that no single machine holds: chunk by chunk, and joined."""
