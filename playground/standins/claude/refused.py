"""The service's errors."""

from __future__ import annotations

from playground.standins.claude.transcript import Json

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""https://platform.claude.com/docs/en/api/errors"""


class Refused(Exception):
    """A request that gets an error instead of an answer; `wrong` if the real service would refuse it, too."""

    def __init__(
        self,
        message: str,
        status: int = 400,
        *,
        type_: str = "",
        retry_after: float | None = None,
        wrong: bool = True,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after, self.wrong = message, status, retry_after, wrong
        self.type = type_ or TYPES.get(status, "api_error")

    def body(self, request_id: str) -> Json:
        return {
            "type": "error",
            "error": {"type": self.type, "message": self.message},
            "request_id": request_id,
        }
