"""Everything that can go wrong between a caller and the store.

    EverthreadError
    ├── StoreUnavailableError     the store cannot be reached; nothing is known to have happened
    │   └── StoreFullError        the store has no memory left (noeviction): nothing was written
    ├── StoreRegressedError       the store lost writes it had acknowledged
    ├── AdmissionConflictError    the key was admitted before with another input
    ├── RunLeaseHeldError         somebody alive works on this thread
    ├── StopWonError              somebody stopped the run before it could settle by itself
    ├── AnsweredError             a wait was to be closed as unanswered, but somebody answered it
    ├── InputChangedError         an input is not the oldest any more, or was edited or withdrawn
    ├── LifecycleError            a run cannot become that
    ├── EvidenceError             a record is missing or altered
    ├── UnknownFormatError        a record was written by a newer build
    ├── RecordTooLargeError       a payload, a record or a turn is over its stated limit
    └── StepKeyError              a step key cannot be built or parsed
    ControlFlow (BaseException)
    ├── StaleEpochError           the lease is somebody else's now: stop at once, save nothing
    ├── RunSuspended              asked to stop for now; the run stays owed
    ├── RunWaiting                the run waits for a person; the answer will ring
    │   └── RunUnknown            whether a cut-off call happened is put before people, and the thread goes on
    ├── RunStopped                somebody pressed Stop
    ├── RunFailed                 the run cannot go on; it settles as failed
    ├── RunParked                 only a person can move it on
    └── TenureOver                a straggler of a tenure that has ended

Control flow derives from BaseException, so that a tool's `except Exception` cannot swallow it.
"""

from __future__ import annotations

from store.lifecycle import ParkReason


class EverthreadError(Exception):
    """The root of every error a caller may want to catch."""


class StoreUnavailableError(EverthreadError):
    """The store did not answer in time; the same call may be sent again under the same identity."""


class StoreFullError(StoreUnavailableError):
    """The store is at its memory limit and refused the write; nothing of it was done."""


class StoreRegressedError(EverthreadError):
    """The log is shorter than its owner has seen it: the store went back, and nothing may be run on a guess."""


class AdmissionConflictError(EverthreadError):
    """The admission key is taken by another input; the stored admission stands."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} was admitted before with another input; the first one stands")
        self.key = key


class RunLeaseHeldError(EverthreadError):
    """Another owner holds the thread; `owner` names it and `lease_left` says for how many seconds."""

    def __init__(self, thread: str, owner: str, lease_left: float) -> None:
        super().__init__(f"{thread} is worked on by {owner} for another {lease_left:.1f} s")
        self.thread, self.owner, self.lease_left = thread, owner, lease_left


class StopWonError(EverthreadError):
    """A settlement came after a stop: the run ends as aborted instead."""


class AnsweredError(EverthreadError):
    """Somebody answered a wait before it could be closed without an answer: read the mailbox again."""


class InputChangedError(EverthreadError):
    """An input was edited, withdrawn or overtaken by an older one before it was taken: read the mailbox again."""


class LifecycleError(EverthreadError):
    """A run was about to take a status that may not follow the one it has; nothing was recorded."""

    def __init__(self, run: str, before: str, after: str) -> None:
        super().__init__(f"run {run} is {before} and cannot become {after}")


class EvidenceError(EverthreadError):
    """A record that later ones build on is missing or altered; the work stays owed."""


class UnknownFormatError(EverthreadError):
    """A record has a format version this build does not know; nothing was changed."""

    def __init__(self, thread: str, version: object) -> None:
        super().__init__(
            f"{thread} holds a record of format {version!r}; "
            "this build cannot read it: deploy the build that wrote it, or a newer one"
        )
        self.thread, self.version = thread, version


class RecordTooLargeError(EverthreadError):
    """A payload, record or turn is over its stated limit."""


class StepKeyError(EverthreadError, ValueError):
    """A step key with an empty or reserved part, or a text that is not a step key."""


class ControlFlow(BaseException):
    """What ends a tenure on purpose; caught in one place, `worker/tenure.py`, and never recorded."""


class StaleEpochError(ControlFlow):
    """A write was refused because the lease is not ours any more; this run continued in another process."""

    def __init__(self, thread: str, epoch: str) -> None:
        super().__init__(f"{thread}: this run continued in another process (our epoch was {epoch})")
        self.thread, self.epoch = thread, epoch


class RunSuspended(ControlFlow):
    """The run stops here for now and stays owed; `look_again` seconds until somebody should try."""

    def __init__(self, reason: str, look_again: float = 0.0) -> None:
        super().__init__(reason)
        self.reason, self.look_again = reason, look_again


class RunWaiting(ControlFlow):
    """The run waits for somebody's answer; the answer is committed, then rings."""

    def __init__(self, wait: str) -> None:
        super().__init__(f"waiting on {wait}")
        self.wait = wait


class RunUnknown(RunWaiting):
    """People are asked whether a call that was cut off happened; the run is parked, so that its thread goes on."""


class RunStopped(ControlFlow):
    """Somebody asked to stop the run; it settles as aborted."""


class RunFailed(ControlFlow):
    """The run cannot go on: it settles as failed, with a code and one plain sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


class RunParked(ControlFlow):
    """Only a resolution or an operator moves the run on; the reason is one of `lifecycle.ParkReason`."""

    def __init__(self, reason: ParkReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason, self.sentence = reason, sentence


class TenureOver(ControlFlow):
    """The tenure ended without waiting for this step; what it does now reaches nobody."""
