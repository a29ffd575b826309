"""Methods that find the maximum margin, or a proof that no hyperplane separates the data."""
