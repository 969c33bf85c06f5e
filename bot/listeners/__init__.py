"""Everything Slack can send us, and who listens to it."""

from __future__ import annotations

from slack_bolt import App

from bot.cards.button import DROP, STOP
from bot.listeners.agent_session import AgentSession
from bot.listeners.answers import Answers
from bot.listeners.aside import Aside
from bot.listeners.run_buttons import RunButtons
from bot.listeners.unmatched import Unmatched
from bot.listeners.windows import Windows


def register(
    app: App,
    session: AgentSession,
    buttons: RunButtons,
    answers: Answers,
    windows: Windows,
    aside: Aside,
    unmatched: Unmatched,
) -> None:
    """The first listener that matches takes a payload, so the catch-alls come last."""
    app.action(STOP)(buttons.stop)
    app.action(DROP)(buttons.drop)
    for listener in (answers, windows, aside, session, unmatched):
        listener.register(app)
