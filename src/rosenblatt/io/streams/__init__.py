"""Reading samples in chunks: files of any size, in constant memory."""
