"""What is proved of all samples in rounds, and `separate`."""
