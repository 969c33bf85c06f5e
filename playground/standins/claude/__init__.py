"""A local Claude: the Messages API, as strict as the real one, answering from a script or a small repertoire.

`python -m playground.standins.claude --port 0` runs it as its own process; `await serve(...)` in this one.
`client.ClaudeStandin` drives either from synchronous code.
"""

from __future__ import annotations

from playground.standins.claude.server import ClaudeServer, serve

__all__ = ["ClaudeServer", "serve"]
