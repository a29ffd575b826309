"""Learning one sample or one chunk after the other."""
