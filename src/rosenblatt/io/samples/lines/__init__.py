"""Files of lines that each stand for themselves: fields that Python reads, labels, whole files."""
