"""How a process of ours ends, in one number.

| code | what happened                                                        | whose turn  |
|------|----------------------------------------------------------------------|-------------|
| 0    | it ended because it was asked to                                     |             |
| 1    | as 0, but something did not end within the grace time and was killed |             |
| 2    | a setting or a command-line argument is wrong or missing             | yours       |
| 3    | Redis cannot be reached                                              | start again |
| 4    | Redis would throw runs away (its eviction policy)                    | yours       |
| 5    | Slack or Claude refuses a token                                      | yours       |
| 6    | Slack or Claude cannot be reached                                    | start again |
| 70   | a fault of ours: the traceback is in the log                         | ours        |
"""

from __future__ import annotations

SETTINGS, NO_REDIS, EVICTING_REDIS, TOKEN, NO_SERVICE, FAULT = 2, 3, 4, 5, 6, 70


class CannotStart(Exception):
    """A process cannot do its work; the message is one plain line, `code` the exit code."""

    def __init__(self, code: int, line: str) -> None:
        super().__init__(line)
        self.code = code
