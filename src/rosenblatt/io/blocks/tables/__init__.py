"""Tables in blocks: where the rows of Parquet and Arrow files are, and how blocks of tables are read."""
