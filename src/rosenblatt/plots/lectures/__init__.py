"""What the lectures draw: the unit, its weights, capacity, criteria, descent, the cards of 1958."""
