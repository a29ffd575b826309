# Used only as a module whose functions are called: no types are needed.
