"""Workers on clusters of others: Ray and Dask."""
