"""What the desk cannot do now, said in words to whoever asked: nobody is left without an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bot.cards.card import Card
from bot.cards.desk_card import told
from store.desk import UnknownTargetError
from store.errors import StoreUnavailableError
from store.ports import ReplyError

STORE_DOWN = "I cannot reach my store just now, so nothing was done. Please try again in a moment."
SLACK_DOWN = "Slack cannot say just now who may do that, so nothing was done. Please try again in a moment."

log = logging.getLogger(__name__)


def guarded(what: str, act: Callable[[], Card | None]) -> Card | None:
    """What `act` answers, or why it could not. what: for the log."""
    try:
        return act()
    except UnknownTargetError as error:
        return told(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    except StoreUnavailableError as error:
        log.warning("%s was not done: %s", what, error)
        return told(STORE_DOWN)
    except ReplyError as error:
        log.warning("%s was not done: %s", what, error)
        return told(SLACK_DOWN)
