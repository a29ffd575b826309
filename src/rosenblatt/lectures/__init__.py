"""What the lectures work through by hand: a run visit by visit, the machine of 1958."""
