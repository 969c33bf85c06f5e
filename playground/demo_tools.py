"""Tools of the playground's shop, slow enough to be seen at work; also an example of tools of one's own.

They are loaded by the real worker: EVERTHREAD_TOOLS=playground.demo_tools:demo_tools.
"""

from __future__ import annotations

from typing import Literal

from store.system import SystemThreads
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

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


def demo_tools() -> list[Tool]:
    return [recent_releases, read_metrics, search_logs]
