"""A table becomes numbers: columns of any kind are learned once, and encoded the same way ever after."""
