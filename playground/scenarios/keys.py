"""Every key a scenario file may have: where it stands, what its value is, what it means.

The reader takes this table for granted; `docs/scenarios.md` names each key, and a test sees to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Place = Literal["scenario", "tool", "step", "when", "expect"]
Plain = Literal["text", "texts", "count", "counts", "number", "flag", "seconds"]
Form = Plain | Literal["mapping", "files", "list", "filled", "settings", "choice", "choices"]


@dataclass(frozen=True, slots=True)
class Key:
    """choices: the only values of a `choice`, or of each item of `choices`. act: a step's key that does something."""

    place: Place
    name: str
    form: Form
    says: str
    choices: tuple[str, ...] = ()
    act: bool = False


VICTIMS = ("job", "caller", "worker", "supervisor", "group", "bot", "bots", "all")
SESSIONS = ("active", "processing", "suspended", "closed")
STATUSES = (
    *("settled", "delivered", "left", "running", "waiting", "suspended", "parked"),
    *("completed", "failed", "aborted"),
)

KEYS: tuple[Key, ...] = (
    Key("scenario", "title", "text", "one sentence: what happens"),
    Key("scenario", "cases", "texts", "the field's failures this stands for"),
    Key("scenario", "settings", "settings", "environment variables of every process"),
    Key("scenario", "slack", "mapping", "settings of Slack's stand-in, such as {retry_delays: [0]}"),
    Key("scenario", "as_is", "flag", "it is played as it stands: not simulated, and without further deaths"),
    Key("scenario", "transports", "choices", "those over which it holds; both unless given", ("socket", "http")),
    Key("scenario", "may_vary", "texts", "what is expected of this play alone, not of one with further deaths"),
    Key("scenario", "bots", "count", "bot processes at the start; 2 unless given"),
    Key("scenario", "workers", "count", "worker groups (supervisor, workers, sweep) at the start; 2 unless given"),
    Key("scenario", "tools", "mapping", "tools by name"),
    Key("scenario", "model", "list", "what Claude says: turns, as its stand-in takes them"),
    Key("scenario", "play", "list", "what happens: steps, one after the other"),
    Key("scenario", "expect", "mapping", "what must be true afterwards"),
    Key("tool", "replay", "choice", "what a crash in the middle means", ("safe", "idempotent", "unsafe")),
    Key("tool", "unknown", "choice", "what comes of a call that was cut off", ("report", "ask")),
    Key("tool", "takes", "seconds", "how long it runs; a list: its first, second, … execution"),
    Key("tool", "effect", "text", "what it does to the world, with its arguments in braces"),
    Key("tool", "output", "text", "what it answers, with its arguments in braces; its effect unless given"),
    Key("tool", "bytes", "flag", "it answers bytes: \\udc80 to \\udcff in its output are those that are no UTF-8"),
    Key("tool", "fails", "text", "the error it ends with"),
    Key("tool", "kills_the_worker", "flag", "it kills the process it runs in, after its effect"),
    Key("step", "when", "mapping", "wait for this first"),
    Key("step", "user", "text", "who does it: ann, bob, ada, gus or eve; ann unless given"),
    Key("step", "says", "text", "a message; @everthread mentions the bot", act=True),
    Key("step", "channel", "text", "where: general unless given, ops, or a person's name for their DM"),
    Key(
        "step", "thread", "text", "a name: its first message opens a thread, later ones reply there; main unless given"
    ),
    Key("step", "as", "text", "a name for this message, to speak of it later; its text unless given"),
    Key("step", "files", "files", "attached to the message: name to text, or to {base64: …}"),
    Key("step", "order", "choice", "which event of a mention comes first", ("mention_first", "message_first")),
    Key("step", "edits", "text", "change this message of theirs", act=True),
    Key("step", "to", "text", "the new text of an edited message"),
    Key("step", "deletes", "text", "delete this message", act=True),
    Key("step", "deletes_card", "text", "delete the card that shows this text, as a person may", act=True),
    Key("step", "deletes_reply", "text", "delete our reply to this message, as a person may", act=True),
    Key("step", "clicks", "text", "press the button with this label in the newest message that shows it", act=True),
    Key("step", "picks", "filled", "what is filled in beside the button, an item an input"),
    Key("step", "submits", "filled", "send the window that they have open, filled in with this", act=True),
    Key("step", "at_once", "flag", "the next step does not wait until this one is done"),
    Key("step", "stale", "flag", "press it although an edit has removed it since, as a slow client does"),
    Key("step", "commands", "text", "type a slash command; in a thread only where one is named", act=True),
    Key("step", "opens", "choice", "open this tab of the app", ("home", "messages"), act=True),
    Key("step", "slack_stop", "text", "press Slack's own Stop in this thread", act=True),
    Key("step", "archives", "text", "archive this channel", act=True),
    Key("step", "removes", "text", "remove the bot from this channel", act=True),
    Key("step", "stops", "text", "ask for the stop of the run that this message leads to, begun or not", act=True),
    Key("step", "redeliver", "text", "Slack delivers this message's events again", act=True),
    Key("step", "times", "count", "how often it is said, or delivered again"),
    Key("step", "fresh", "flag", "under new event ids, as if they were other events"),
    Key("step", "kill", "choice", "SIGKILL", (*VICTIMS, "redis"), act=True),
    Key("step", "term", "choice", "SIGTERM to every process, twice, SIGKILL at 30 s", VICTIMS, act=True),
    Key("step", "freeze", "choice", "SIGSTOP", ("job",), act=True),
    Key("step", "wake", "choice", "SIGCONT to whoever is frozen", ("job",), act=True),
    Key("step", "start", "counts", "start more: {bots: 1, workers: 1}, or {redis: 1} again", act=True),
    Key("step", "restart", "choice", "SIGKILL and a new server on the same files", ("redis",), act=True),
    Key("step", "drop", "choice", "end every connection between Slack and the bots", ("sockets", "refresh"), act=True),
    Key("step", "fault", "mapping", "trouble: {slack: {…}} or {claude: {…}}, as the stand-ins take it", act=True),
    Key("step", "mends", "choice", "no trouble any more", ("slack",), act=True),
    Key("step", "finish", "text", "let this tool end that is running now", act=True),
    Key("when", "tool", "text", "a tool …"),
    Key("when", "is", "choice", "… is there", ("started", "finished", "recorded", "cut", "before", "after")),
    Key("when", "model", "choice", "a model call …, which stands still meanwhile", ("called", "streaming", "answered")),
    Key("when", "turn", "count", "… of this turn of its run, from 0"),
    Key("when", "on", "text", "… whose prompt contains this"),
    Key("when", "tokens", "count", "… that has streamed as many tokens"),
    Key("when", "run", "choice", "a run is …", STATUSES),
    Key("when", "steps", "count", "as many model and tool steps are recorded"),
    Key("when", "commit", "count", "the n-th commit is: before, after; it stands still meanwhile"),
    Key("when", "admit", "count", "the n-th admission of an event is: before, after; it stands still meanwhile"),
    Key("when", "answer", "count", "the n-th answer to a wait is: before, after; it stands still meanwhile"),
    Key("when", "slack", "text", "a call of this method is: before, after it is applied; it stands still meanwhile"),
    Key("when", "containing", "text", "… with this in its arguments, or in its text"),
    Key("when", "refused", "text", "Slack refused a call of this method"),
    Key("when", "reply", "text", "a reply contains this text"),
    Key("when", "card", "choice", "a card is …", ("open", "over", "moved")),
    Key("when", "deadline", "choice", "the last deadline of what is asked now is over", ("passed",)),
    Key("when", "claims", "count", "the thread is claimed for the n-th time"),
    Key("when", "owner", "choice", "an owner whose lease is gone was refused", ("refused",)),
    Key("when", "workers", "choice", "a worker process waits for work", ("up",)),
    Key("when", "bots", "choice", "a bot is connected, or not any more", ("up", "gone")),
    Key("when", "acked", "text", "Slack heard that this message was taken"),
    Key("when", "lost", "text", "Slack gave up on delivering this message"),
    Key("when", "status", "text", "the line under a thread contains this text"),
    Key("when", "session", "choice", "an agent session is …", SESSIONS),
    Key("when", "whisper", "text", "somebody alone is shown this text"),
    Key("when", "nth", "count", "the n-th time, counted from the beginning"),
    Key("expect", "replies", "count", "replies ever posted, deleted ones included"),
    Key("expect", "runs", "count", "runs begun"),
    Key("expect", "posts", "count", "messages of ours ever posted, replies and others"),
    Key("expect", "parts", "counts", "the same by part: reply, reply.2, reply.3, file, done, card, told, ask, …"),
    Key("expect", "effects", "counts", "effects by tool"),
    Key("expect", "model_calls", "count", "model calls billed"),
    Key("expect", "billed_once", "flag", "nothing is billed twice but calls that were cut off"),
    Key("expect", "last_text_contains", "text", "in the last reply"),
    Key("expect", "final_text", "text", "the whole text of the last run"),
    Key("expect", "answers", "texts", "the runs' texts in the order in which they ended"),
    Key("expect", "footer_contains", "text", "in the last line of the last reply"),
    Key("expect", "model_saw", "texts", "in what the model was asked"),
    Key("expect", "model_never_saw", "texts", "not in what the model was asked"),
    Key("expect", "statuses", "texts", "how the runs ended, in the order of their messages"),
    Key("expect", "delivered", "texts", "what became of showing each: delivered, degraded or undeliverable"),
    Key("expect", "reactions", "counts", "ours, by name, over all messages"),
    Key("expect", "shown", "texts", "texts that a reply had at some time"),
    Key("expect", "rings", "texts", "whom our messages ring, such as @U0ANN00001 or !channel"),
    Key("expect", "cards", "counts", "cards ever posted, and of those that stand: standing, open, over, moved"),
    Key("expect", "cards_show", "texts", "parts of what the standing cards show at the end, in this order"),
    Key("expect", "decisions", "texts", "how what was asked ended, by the messages that led to it"),
    Key("expect", "whispers", "texts", "parts of what was shown to somebody alone, in this order; [] is nothing"),
    Key("expect", "status_lines", "texts", "parts of what the lines under threads said, in this order; [] is nothing"),
    Key("expect", "sessions", "texts", "what the agent sessions were, in this order, repeats left out"),
    Key("expect", "slack_calls", "counts", "how often Slack was asked, by method, refusals included"),
    Key("expect", "unknown", "count", "effects nobody can vouch for, listed for an operator"),
    Key("expect", "recovery_ms_below", "number", "from each kill of a run's process to the next recorded step"),
)


def known(place: Place) -> dict[str, Key]:
    return {key.name: key for key in KEYS if key.place == place}
