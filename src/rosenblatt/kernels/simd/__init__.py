"""What the compiler does not find by itself: vectors by hand, and memory asked for ahead."""
