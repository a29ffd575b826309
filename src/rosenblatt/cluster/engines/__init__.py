"""What runs the work of shards: threads, processes, Ray, Dask."""
