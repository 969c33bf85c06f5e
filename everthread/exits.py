"""How a command of ours ends, in one number.

| code | what happened                                                        | whose turn  |
|------|----------------------------------------------------------------------|-------------|
| 0    | it did what it was asked to                                          |             |
| 1    | as 0, but something did not end within the grace time and was killed |             |
| 2    | a setting or a command-line argument is wrong or missing             | yours       |
| 3    | Redis cannot be reached                                              | start again |
| 4    | Redis would throw runs away (its eviction policy)                    | yours       |
| 5    | Slack or Claude refuses a token                                      | yours       |
| 6    | Slack or Claude cannot be reached                                    | start again |
| 7    | there is no such thread or run                                       | yours       |
| 8    | it cannot be done to a run that stands like this; the line says why  | yours       |
| 70   | a fault of ours: the traceback is in the log                         | ours        |
"""

from __future__ import annotations

SETTINGS, NO_REDIS, EVICTING_REDIS, TOKEN, NO_SERVICE, NOT_THERE, NOT_NOW, FAULT = 2, 3, 4, 5, 6, 7, 8, 70

MEANINGS = {
    0: "done as asked",
    1: "done, but something had to be killed (or: a scenario fails)",
    SETTINGS: "a setting or argument is wrong",
    NO_REDIS: "no Redis",
    EVICTING_REDIS: "Redis evicts",
    TOKEN: "a token is refused",
    NO_SERVICE: "Slack or Claude is away",
    NOT_THERE: "no such thread or run",
    NOT_NOW: "not possible as the run stands",
    FAULT: "a fault of ours",
}
"""Every code in a few words."""


class CannotStart(Exception):
    """A process cannot do its work; the message is one plain line, `code` the exit code."""

    def __init__(self, code: int, line: str) -> None:
        super().__init__(line)
        self.code = code
