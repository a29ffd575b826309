"""`rosenblatt separate` and `verify`: the commands, and what is said of a separation."""
