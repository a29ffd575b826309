"""Tables in chunks: CSV in pieces of whole lines, Parquet and Arrow files in batches of rows."""
