"""CSV files: their layout, the types of their columns, an account of every line."""
