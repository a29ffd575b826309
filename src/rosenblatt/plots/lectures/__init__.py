"""What the lectures draw: units, capacity, criteria, descent."""
