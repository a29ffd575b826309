"""One compiled pass over samples for each family of rules."""
