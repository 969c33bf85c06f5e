"""Tools of the playground's shop, slow enough to be seen at work; also an example of tools of one's own.

They are loaded by the real worker: EVERTHREAD_TOOLS=playground.demo_tools:demo_tools.
"""

from __future__ import annotations

import json
import os
from http.client import HTTPConnection, HTTPException
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from store.system import SystemThreads
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError, tool

SHOP = "PLAYGROUND_SHOP"
"""Variable of a worker's environment: the address at which the shop's effects are counted."""
ANSWER_SECONDS = 30.0

Service = Literal["checkout", "search", "mail"]

_threads = SystemThreads()


@tool(replay="safe", title="listing the releases of {service}")
def recent_releases(context: ToolContext, service: Service) -> str:  # noqa: ARG001 - a tool's signature
    """List the latest releases of a service of the demo shop."""
    _threads.sleep(0.8)
    return f"{service}: v412 at 09:14 by ada (faster cart), v411 yesterday by bob (new icons)"


@tool(replay="safe", title="reading the metrics of {service}")
def read_metrics(context: ToolContext, service: Service) -> str:  # noqa: ARG001 - a tool's signature
    """Read latency and error rate of a service of the demo shop."""
    _threads.sleep(2.4)
    return f"{service}: p99 840 ms (was 210 ms before 09:14), 0.7 % errors"


@tool(replay="safe", title="searching the logs of {service}")
def search_logs(context: ToolContext, service: Service) -> str:  # noqa: ARG001 - a tool's signature
    """Find what is unusual in the logs of a service of the demo shop."""
    _threads.sleep(1.5)
    return f"{service}: 1,204 times 'cart cache miss, asking the database' since 09:14"


@tool(replay="unsafe", title="charging {amount} euros")
def charge(context: ToolContext, amount: Annotated[int, Field(ge=1, le=100_000)]) -> str:
    """Charge the demo shop's test customer, in euros."""
    shop = urlsplit(os.environ[SHOP])
    connection = HTTPConnection(shop.hostname or "", shop.port, timeout=ANSWER_SECONDS)
    headers = {"Content-Type": "application/json", "Idempotency-Key": context.key}
    try:
        connection.request("POST", f"{shop.path}charge", json.dumps({"amount": amount}), headers)
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        raise ToolError(f"the shop gave no answer ({error}); it may have charged the customer") from error
    finally:
        connection.close()
    if status != 200:
        raise ToolError(f"the shop refused: HTTP {status}")
    return f"charged {amount} euros"


def demo_tools() -> list[Tool]:
    return [recent_releases, read_metrics, search_logs, charge]
