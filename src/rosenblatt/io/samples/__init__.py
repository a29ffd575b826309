"""Files of labelled samples: tables and libsvm, read with errors that name the line.

What is read accounts for every line of a file, or the file is refused.
"""
