"""Learning halfspaces: the problem, the update rules, the epoch loop, and what is recorded."""
