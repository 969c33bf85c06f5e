"""Where a measurement is left for whoever reads it later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OUT = Path("bench/out")


def publish(name: str, found: Mapping[str, Any]) -> None:
    """Write the figures as `bench/out/<name>.json`, and show them."""
    OUT.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=2)
    (OUT / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    print(text)
