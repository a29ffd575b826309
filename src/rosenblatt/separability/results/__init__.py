"""The results of `separate`: verdicts, conflicts, their certificates, and their text."""
