"""An event loop on a thread of its own, for the small servers that the runner keeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Loopback:
    """Runs coroutines and calls from other threads; `close` ends it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)  # noqa: TID251 - the runner's own
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, T], timeout: float = 10.0) -> T:
        """The coroutine's answer."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout)

    def close(self) -> None:
        async def end() -> None:
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)  # connections that were aborted are closed by the next round

        self.do(end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5.0)
        self.loop.close()
