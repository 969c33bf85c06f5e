"""What is wrong with a Redis before anything relies on it, one plain line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from redis import Redis
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from store.redis.connection import address, for_bot


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding. `unreachable` and `refused` mean do not start; `warned` means start and say so."""

    kind: Literal["unreachable", "refused", "warned", "noted"]
    line: str

    @property
    def fatal(self) -> bool:
        return self.kind in ("unreachable", "refused")


def check(url: str, *, verify: bool = True) -> list[Verdict]:
    """Ask the server what it is. Ends within a few seconds whatever it does, and shows no password."""
    where = address(url)
    redis = None
    try:
        redis = for_bot(url, verify=verify)
        return _findings(redis, where)
    except AuthenticationError:
        return [Verdict("unreachable", f"Redis at {where} refuses the password in REDIS_URL")]
    except RedisError as error:
        return [Verdict("unreachable", f"Redis at {where} does not answer: {_cause(error)}{_hint(error, url)}")]
    except ValueError as error:
        return [Verdict("unreachable", f"REDIS_URL is not the address of a Redis: {error}")]
    finally:
        if redis is not None:
            redis.close()


def connection_limit(url: str, *, verify: bool = True) -> int | None:
    """How many connections the server takes, or None where it does not say."""
    redis = for_bot(url, verify=verify)
    try:
        found = _info(redis, "clients").get("maxclients")
        return int(found) if found else None
    except RedisError:
        return None
    finally:
        redis.close()


def _findings(redis: Redis, where: str) -> list[Verdict]:
    redis.ping()
    found = []
    policy = _info(redis, "memory").get("maxmemory_policy") or _config(redis, "maxmemory-policy")
    if policy is None:
        found.append(Verdict("noted", f"Redis at {where} does not say its eviction policy; it must be noeviction"))
    elif policy != "noeviction":
        found.append(
            Verdict(
                "refused",
                f"Redis at {where} evicts ({policy}) and would throw runs away when it is full: "
                "set maxmemory-policy to noeviction",
            )
        )
    return found + _persistence(redis, where)


def _persistence(redis: Redis, where: str) -> list[Verdict]:
    if str(_info(redis, "persistence").get("aof_enabled")) == "1":
        return []
    save = _config(redis, "save")
    if save is None:
        line = f"Redis at {where} keeps no append-only file and does not say whether it takes snapshots"
        return [Verdict("noted", f"{line}; see what its plan promises")]
    if save:
        line = f"Redis at {where} only takes snapshots: a restart loses what came after the last one"
        return [Verdict("warned", f"{line}; set appendonly yes")]
    line = f"Redis at {where} keeps nothing over a restart: every run in it would be lost"
    return [Verdict("warned", f"{line}; set appendonly yes, or take a plan with persistence")]


def _info(redis: Redis, section: str) -> dict[str, Any]:
    """One section, or nothing where the host closed the command."""
    try:
        return dict(redis.info(section))
    except ResponseError:
        return {}


def _config(redis: Redis, name: str) -> str | None:
    """One setting, or None: managed hosts close CONFIG."""
    try:
        found = redis.config_get(name)
    except ResponseError:
        return None
    return found.get(name)


def _cause(error: RedisError) -> str:
    return str(error).split("\n", 1)[0].rstrip(".")


def _hint(error: RedisError, url: str) -> str:
    if "certificate" in str(error).lower():
        return "; where the host signs its own certificates (Heroku), set EVERTHREAD_REDIS_TLS=unverified"
    if url.startswith("redis://") and "closed" in str(error).lower():
        return "; if this Redis wants TLS, its address begins with rediss://"
    return ""
