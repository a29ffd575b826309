"""Sources of bytes: local files, standard input, remote files; compressed or not."""
