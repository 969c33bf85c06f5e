"""A local Slack: the Web API, Socket Mode and a workspace of people, as strict as the real service.

`python -m playground.standins.slack --port 0` runs it as its own process; `await serve(...)` in this one.
`client.SlackStandin` drives either from synchronous code.
"""

from __future__ import annotations

from playground.standins.slack.server import SlackServer, serve
from playground.standins.slack.settings import Settings

__all__ = ["Settings", "SlackServer", "serve"]
