"""Looks into models: what they are made of, their weights by name, and why they decide as they do."""
