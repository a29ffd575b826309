"""Files in blocks of samples: what a file holds, found out once, and blocks of it read by themselves."""
