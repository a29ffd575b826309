"""Reading tables in parts: CSV in pieces of whole lines, Parquet and Arrow in batches of rows."""
