"""Many halfspaces, one loop: what is learned, when to stop, what is recorded."""
