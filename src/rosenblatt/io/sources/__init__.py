"""Where bytes come from: local files, standard input, other machines; packed or not."""
