"""Compiling beforehand: public calls on a few samples of every kind, and the command that makes them."""
