"""A thread in which a run waits for people, as a worker leaves it, and a bot beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from unittest.mock import patch

from bot.cards.ask_button import Target
from store.lease import Commit
from store.protocol import Store, Waiting
from store.record import Record, stored
from store.stepkey import START, StepKey
from store.submission import Submission
from store.wait import Answerers, Choice, Question, Wait, WaitKind, wait_id
from tests.bot.doubles import ME, Bot, Json

ROOT = "1800000000.000100"
LATER = "1800000000.000200"
THREAD = f"{ME.team}/C0GENERAL/{ROOT}"
COLOURS = Question("Which colour?", (Choice("Blue"), Choice("Red")))


def wait(kind: WaitKind = "question", n: int = 1, **more: Any) -> Wait:
    """What Ann's run r7 asks in this thread."""
    key = StepKey("r7", 1, f"t{n}/answer", 0)
    given = {"title": "", "asked": 1_800_000_000.0, **more}
    return Wait(wait_id(key), "r7", THREAD, str(key), kind, "U0ANN", **given)


def question(*questions: Question, n: int = 1, **more: Any) -> Wait:
    return wait("question", n, questions=questions or (COLOURS,), **more)


def approval(n: int = 1, by: tuple[str, ...] = ("channel",), **more: Any) -> Wait:
    return wait("approval", n, call="pay(5)", answerers=Answerers(by, **more))


def value(of: Wait) -> str:
    return str(Target.of(of))


def start_run(store: Store, thread: str = THREAD, run: str = "r7", ts: str = ROOT) -> None:
    """Ann's run begins and is left open, without an owner."""
    said = Submission(thread, thread.split("/")[1], ts, "U0ANN", "go", run, 1.0)
    store.admissions.admit(said)
    lease = store.leases.claim(thread, "boot:1:1:a").lease
    start, raw = stored(Record("start", StepKey(run, 0, START), "done", 1.0, {"input": said.as_body()}))
    head = {"status": "running", "run": run}
    store.log.commit(lease, Commit(run, records=[(str(start.key), start.state, raw)], head=head, taken=[said]))
    store.leases.release(lease, idle=False)


def ask(store: Store, *waits: Wait) -> None:
    """The run r7 begins, asks all of this, and waits: nobody works on the thread."""
    start_run(store)
    lease = store.leases.claim(THREAD, "boot:1:1:b").lease
    head = {"status": "waiting", "waiting": "1"}
    records = [(one.key, "pending", "{}") for one in waits]
    rest = {f"wait:{one.id}": one.kind for one in waits}
    store.log.commit(lease, Commit("r7", records=records, head=head, rest=rest, opened=list(waits)))
    store.leases.release(lease, idle=True)


def end_run(store: Store, run: str = "r7") -> None:
    """The run settles, whatever it waited for."""
    lease = store.leases.claim(THREAD, "boot:1:1:c").lease
    settled = (f"{run}:9:#settled:0", "done", "{}")
    head = {"run": "", "waiting": "0", "status": "completed"}
    store.log.commit(lease, Commit(run, records=[settled], head=head, outcome=(run, "{}"), forget_steps=True))
    store.leases.release(lease, idle=False)


def stands(store: Store, of: Wait) -> Waiting:
    found = store.waits.look(THREAD, of.id)
    assert found is not None
    return found


@dataclass
class Redrawn:
    """What was sent to the addresses that came with clicks. status: what Slack answers to that."""

    sent: list[Json] = field(default_factory=list)
    status: int = HTTPStatus.OK

    @property
    def texts(self) -> list[str]:
        return [one["text"] for one in self.sent]


@contextmanager
def redrawing() -> Iterator[Redrawn]:
    redrawn = Redrawn()

    class Webhook:
        def __init__(self, url: str, timeout: float, retry_handlers: list[object], logger: object) -> None:
            assert timeout <= 2
            assert retry_handlers == []
            self.url = url

        def send(self, **given: Any) -> Any:
            redrawn.sent.append({"url": self.url, **given})
            return type("Answer", (), {"status_code": redrawn.status})

    with patch("bot.redraw.WebhookClient", Webhook):
        yield redrawn


def mailed(store: Store) -> list[str]:
    """The letters that wait for the thread's owner."""
    claim = store.leases.claim(THREAD, "boot:1:1:z")
    store.leases.release(claim.lease, idle=False)
    return sorted(claim.mailbox.letters)


def whispered(bot: Bot) -> list[tuple[str, str]]:
    return [(whisper["user"], whisper["text"]) for whisper in bot.whispers]
