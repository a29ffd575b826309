from typing import Any

class ActorMethod:
    def remote(self, *arguments: Any) -> Any: ...

class ActorHandle:
    def __getattr__(self, name: str) -> ActorMethod: ...
