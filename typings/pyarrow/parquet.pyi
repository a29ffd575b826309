from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from pyarrow import NativeFile, RecordBatch, Schema, Table

class ColumnChunkMetaData:
    num_values: int
    total_uncompressed_size: int
    total_compressed_size: int
    data_page_offset: int
    has_dictionary_page: bool
    dictionary_page_offset: int | None

class RowGroupMetaData:
    num_columns: int
    num_rows: int
    total_byte_size: int
    def column(self, i: int) -> ColumnChunkMetaData: ...

class ColumnSchema:
    path: str

class ParquetSchema:
    def column(self, i: int) -> ColumnSchema: ...

class FileMetaData:
    num_columns: int
    num_row_groups: int
    schema: ParquetSchema
    def row_group(self, i: int) -> RowGroupMetaData: ...

class ParquetFile:
    metadata: FileMetaData
    num_row_groups: int
    schema_arrow: Schema
    def __init__(
        self,
        source: str | NativeFile,
        *,
        metadata: FileMetaData | None = ...,
        read_dictionary: list[str] = ...,
    ) -> None: ...
    def iter_batches(
        self,
        batch_size: int,
        row_groups: list[int] | None = ...,
        columns: list[str] | None = ...,
    ) -> Iterator[RecordBatch]: ...
    def read_row_groups(self, row_groups: list[int]) -> Table: ...

class ParquetWriter:
    def __init__(self, where: BinaryIO, schema: Schema) -> None: ...
    def write_table(self, table: Table) -> None: ...
    def close(self) -> None: ...

def write_table(table: Table, where: BytesIO) -> None: ...
