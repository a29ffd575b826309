"""Readers of labeled samples, tables and libsvm: every line is read, or an error names the bad one."""
