"""A tool: a typed function the model may call, with what a crash in the middle of it means."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import to_jsonable_python

from store.values import digest_of
from worker.tools.context import ToolContext

Replay = Literal["safe", "idempotent", "unsafe"]
"""safe: may run again. idempotent: may run again with the same key. unsafe: never again on its own."""

Unknown = Literal["report", "ask"]
"""What comes of a call that was cut off: the model is told that it may have happened, or people are asked."""

MAX_TITLE = 80


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a tool found out about a call of its own that was cut off: it happened, with this output; never; unsure."""

    what: Literal["happened", "never", "unsure"]
    output: str = ""


class ToolError(Exception):
    """What a tool raises to tell the model, in one sentence, what went wrong; recorded as it is.

    retryable, retry_after (seconds), status and data say more, also after a crash.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        data: Any = None,
    ) -> None:
        super().__init__(message)
        self.code, self.status, self.retryable = code, status, retryable
        self.retry_after, self.data = retry_after, data


class BadArgumentsError(Exception):
    """The model's arguments do not fit the tool; nothing ran."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with its name, description, argument schema and replay policy."""

    name: str
    description: str
    replay: Replay
    arguments: type[BaseModel]
    function: Callable[..., Any]
    title_template: str = ""
    isolate: bool = False
    mark_started: bool = False
    composite: bool = False
    unknown: Unknown = "report"
    reconcile: Callable[[ToolContext, Mapping[str, Any]], Reconciled] | None = None
    preflight: Callable[[Mapping[str, Any]], Mapping[str, Any] | str] | None = None
    schema: Mapping[str, Any] = field(init=False)
    digest: str = field(init=False)
    """Names this definition; a call recorded under another one is never run again on its own."""

    def __post_init__(self) -> None:
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "digest", digest_of([self.name, schema, self.replay, self.isolate]))

    @property
    def spec(self) -> dict[str, Any]:
        """The tool as a model request declares it."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}

    def validate(self, given: Any) -> dict[str, Any]:
        """The arguments in their JSON form; `BadArgumentsError` says every fault at once."""
        try:
            parsed = self.arguments.model_validate(given)
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(str(part) for part in fault['loc']) or 'input'}: {fault['msg']}" for fault in error.errors()
            )
            raise BadArgumentsError(f"{self.name} was not run, its arguments do not fit: {faults}") from error
        return parsed.model_dump(mode="json")

    def title(self, arguments: Mapping[str, Any]) -> str:
        """One line that says what this call does."""
        try:
            line = self.title_template.format_map(arguments) if self.title_template else self.name
        except (KeyError, IndexError, ValueError, AttributeError):
            line = self.name
        line = " ".join(line.split())
        return line if len(line) <= MAX_TITLE else line[: MAX_TITLE - 1] + "…"

    def run(self, context: ToolContext, arguments: Mapping[str, Any]) -> str:
        """The handler's output in the form the model gets: text as it is, anything else as JSON."""
        parsed = self.arguments.model_validate(dict(arguments))
        values = {name: getattr(parsed, name) for name in type(parsed).model_fields}
        return as_output(self.function(context, **values))


def as_output(value: Any) -> str:
    """A tool's return value as text: None is empty, text is itself, bytes are UTF-8, anything else is JSON.

    In it damaged UTF-8 becomes U+FFFD, nan and inf become their names, what JSON does not know its `str()`; bytes
    inside a dataclass or a model become base64.
    """
    match value:
        case None:
            return ""
        case str():
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            plain = to_jsonable_python(_plain(value), fallback=str, bytes_mode="base64")
            return json.dumps(_plain(plain), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """What neither JSON nor UTF-8 can hold, in words; containers inside other objects are left to pydantic."""
    match value:
        case bytes():
            return value.decode("utf-8", "replace")
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def tool(
    *,
    replay: Replay = "unsafe",
    name: str = "",
    title: str = "",
    isolate: bool = False,
    mark_started: bool = False,
    composite: bool = False,
    unknown: Unknown = "report",
    reconcile: Callable[[ToolContext, Mapping[str, Any]], Reconciled] | None = None,
    preflight: Callable[[Mapping[str, Any]], Mapping[str, Any] | str] | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a typed function whose first parameter is its `ToolContext`.

    The docstring is what the model reads. Undeclared tools are unsafe: after a crash in the middle nobody runs
    them again. composite: its effects are in what it asks and does through its context alone, so it is entered again
    whatever happened, and may wait for people. title: one line with the arguments, such as "charge {amount}".
    unknown: what comes of a call that a crash cut off. reconcile: finds out, from the call's own key and arguments,
    whether it happened; it may be asked again, so it only looks. isolate: run in a process of its own, for
    functions that hold the interpreter. preflight: may change the arguments, or answer the call with a text, before
    anything runs.
    """

    def make(function: Callable[..., Any]) -> Tool:
        if composite and (isolate or replay == "unsafe"):
            raise TypeError(f"the tool {function.__name__} is composite, so declare it safe, and not isolated")
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters:
            raise TypeError(f"the tool {function.__name__} needs a first parameter for its context")
        fields: dict[str, Any] = {}
        for parameter in parameters[1:]:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (hints.get(parameter.name, Any), default)
        arguments = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
        return Tool(
            name=name or function.__name__,
            description=inspect.getdoc(function) or "",
            replay=replay,
            arguments=arguments,
            function=function,
            title_template=title,
            isolate=isolate,
            mark_started=mark_started,
            composite=composite,
            unknown=unknown,
            reconcile=reconcile,
            preflight=preflight,
        )

    return make
