"""Optimizations that the compiler misses: hand-written vector code and prefetching."""
