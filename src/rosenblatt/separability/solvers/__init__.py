"""The methods that find the maximum margin, or a proof that there is none."""
