from enum import Enum
from typing import overload

from pyarrow import NativeFile

class FileType(Enum):
    NotFound = 0
    Unknown = 1
    File = 2
    Directory = 3

class FileInfo:
    path: str
    type: FileType
    size: int | None
    mtime_ns: int | None

class FileSelector:
    def __init__(self, base_dir: str, allow_not_found: bool = ...) -> None: ...

class FileSystem:
    @staticmethod
    def from_uri(uri: str) -> tuple[FileSystem, str]: ...
    @overload
    def get_file_info(self, path: str, /) -> FileInfo: ...
    @overload
    def get_file_info(self, selector: FileSelector, /) -> list[FileInfo]: ...
    def open_input_file(self, path: str) -> NativeFile: ...
    def open_input_stream(
        self, path: str, compression: str | None = ..., buffer_size: int | None = ...
    ) -> NativeFile: ...
