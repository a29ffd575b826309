"""Reading blocks of tables: CSV text, and the rows of Parquet and Arrow files."""
