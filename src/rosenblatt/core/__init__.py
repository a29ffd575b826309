"""What every room may use: errors, types, labels, files, threads."""
