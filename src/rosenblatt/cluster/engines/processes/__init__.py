"""Workers that are processes on this machine."""
