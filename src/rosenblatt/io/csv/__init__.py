"""CSV files: how they are laid out, what their columns hold, every line accounted for."""
