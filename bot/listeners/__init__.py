"""Everything Slack can send us, and who listens to it."""

from __future__ import annotations

from slack_bolt import App

from bot.cards.button import DROP, STOP
from bot.listeners.agent_session import AgentSession
from bot.listeners.run_buttons import RunButtons
from bot.listeners.unmatched import Unmatched


def register(app: App, session: AgentSession, buttons: RunButtons, unmatched: Unmatched) -> None:
    """The first listener that matches takes a payload, so the catch-alls come last."""
    app.action(STOP)(buttons.stop)
    app.action(DROP)(buttons.drop)
    session.register(app)
    unmatched.register(app)
