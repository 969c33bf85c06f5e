"""The settings in force, each with where it comes from; no secret is among the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from pydantic import SecretStr

from everthread.settings import Settings, variable
from store.desk import Setting, Source
from store.redaction import masked_text

HIDDEN = "set, and not shown"
UNSET = "unset"
_MOST = 300


def effective(settings: Settings, chosen: Mapping[str, str]) -> Iterator[Setting]:
    """chosen: listening modes by channel that were changed while we run."""
    for field in Settings.model_fields:
        source: Source = "environment" if field in settings.model_fields_set else "default"
        yield Setting(variable(field), shown(getattr(settings, field)), source)
    for channel, mode in sorted(chosen.items()):
        yield Setting(f"{variable('listen_in')} {channel}", mode, "chosen")


def shown(value: Any) -> str:
    """A value as it would be written, within a line."""
    match value:
        case SecretStr():
            return HIDDEN
        case None | "":
            return UNSET
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case Mapping():
            return masked_text(", ".join(f"{name}={item}" for name, item in sorted(value.items())))[:_MOST] or "none"
        case Set():
            return ", ".join(sorted(map(str, value)))[:_MOST] or "none"
        case list() | tuple():
            return f"{len(value)} entries" if value else "none"
        case _:
            return masked_text(" ".join(str(value).split()))[:_MOST]
