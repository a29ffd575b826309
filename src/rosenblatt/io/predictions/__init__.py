"""What a model makes of the samples of files, chunk by chunk: predictions, comparisons with labels."""
