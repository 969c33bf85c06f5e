"""The Lua files, each put together once with the shared parts it names."""

from __future__ import annotations

from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import (
    BusyLoadingError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
)
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)

from store.errors import StoreFullError, StoreUnavailableError

FOLDER = Path(__file__).parent / "lua"
SHARED: dict[str, tuple[str, ...]] = {
    "admit": ("fence", "quiet"),
    "amend": (),
    "answer": ("fence", "quiet"),
    "bury": ("fence",),
    "claim": ("fence",),
    "commit": ("fence", "append"),
    "end_turn": ("fence",),
    "look": ("fence", "owed"),
    "mute": (),
    "order": ("fence",),
    "recall": ("fence",),
    "release": ("fence", "owed"),
    "renew": ("fence",),
    "retract": ("fence", "owed"),
    "stop": ("fence",),
    "take_turn": ("fence",),
    "withdraw": ("fence", "owed"),
}
"""Which shared parts stand before which script, so that no copy of them can drift."""


class Refused(Exception):
    """A script refused: `word` is the first word of its error, such as STALE."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.word, _, self.detail = message.partition(" ")


@cache
def source(name: str) -> str:
    """The whole text of a script: its shared parts, then the file itself."""
    parts = [*SHARED[name], name]
    return "\n".join((FOLDER / f"{part}.lua").read_text(encoding="utf-8") for part in parts)


class Scripts:
    """Runs scripts by name on one connection pool, one round trip each."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self._names = {name: sha1(source(name).encode(), usedforsecurity=False).hexdigest() for name in SHARED}

    def load(self) -> None:
        """Put every script into the server, so that no later call pays for it."""
        with self.redis.pipeline(transaction=False) as together:
            for name in SHARED:
                together.script_load(source(name))
            answered(together.execute)

    def run(self, name: str, keys: list[str], args: list[Any]) -> Any:
        """The script's answer; `Refused` when it says no, `StoreUnavailableError` when nobody answers."""
        return answered(lambda: self._run(name, keys, args))

    def _run(self, name: str, keys: list[str], args: list[Any]) -> Any:
        try:
            return self.redis.evalsha(self._names[name], len(keys), *keys, *args)
        except NoScriptError:
            return self.redis.eval(source(name), len(keys), *keys, *args)


def answered(call: Any) -> Any:
    """`call()`, with the store's own errors in our words."""
    try:
        return call()
    except OutOfMemoryError as error:
        raise StoreFullError("the store is at its memory limit; it goes on when there is room") from error
    except (RedisConnectionError, RedisTimeoutError, BusyLoadingError, ReadOnlyError) as error:
        raise StoreUnavailableError(f"the store does not answer: {error}") from error
    except ResponseError as error:
        message = str(error)
        if message.startswith("OOM"):
            raise StoreFullError("the store is at its memory limit; it goes on when there is room") from error
        raise Refused(message) from error
