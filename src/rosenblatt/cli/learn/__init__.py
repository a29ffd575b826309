"""`rosenblatt learn`: the command, its report, and what it shows while it works."""
