"""A request to end, however often it comes."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, signal
from store.system import SystemThreads
from worker.process.signals import watch
threads = SystemThreads()
asked = threads.event()
watch(threads, asked.set)
for _ in range(3):
    os.kill(os.getpid(), signal.SIGTERM)
    asked.wait(5)
    threads.sleep(0)
print(asked.is_set())
"""


def test_further_signals_neither_kill_a_process_nor_complain_in_its_log() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=20, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
