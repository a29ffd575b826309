"""What is found: verdicts, conflicts, the certificates that prove them, and how they are said."""
