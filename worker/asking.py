"""One turn's model call, with its retries; the verdict on each failure is recorded with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

from store.errors import RunFailed, RunParked, RunSuspended
from store.ports import Cut, ModelAnswer, ModelError, ModelRequest, Usage
from store.record import Record
from store.stepkey import MODEL, StepKey
from worker.call import MAX_CALLS, unique_ids

if TYPE_CHECKING:
    from worker.run import Run

Verdict = Literal["retry", "suspend", "fail", "park", "again"]
"""What a failed attempt leads to; `again` is for one that we cut off ourselves."""

FIRST_DELAY, MOST_DELAY = 1.0, 30.0
POLL = 0.25


def ask_model(run: Run) -> Record:
    """The staged record of a whole answer; failed attempts are recorded on the way.

    Raises the control flow that a failure leads to.
    """
    tried = 0
    while True:
        last = run.state.attempts[-1]
        if last.state == "failed":
            _obey(run, last)
        run.check()
        run.check_limits()
        tried += 1
        try:
            answer = _ask(run, last.key)
        except ModelError as error:
            _record_failure(run, last.key, error, tried)
        else:
            return _stage_answer(run, last.key, answer)


def _ask(run: Run, key: StepKey) -> ModelAnswer:
    cut = Cut()
    run.door.cuts[cut] = run.id
    run.drain.watch(cut)
    run.progress.asking(key)
    try:
        run.door.check(run.id)
        return run.services.model.ask(_request(run), run.progress.heard, cut)
    finally:
        run.progress.model_over(key)
        run.drain.forget(cut)
        run.door.cuts.pop(cut)


def _request(run: Run) -> ModelRequest:
    definition = run.state.definition
    return ModelRequest(
        model=definition["model"],
        max_tokens=definition["max_tokens"],
        system=definition["system"],
        tools=definition["tools"],
        messages=run.transcript.messages(),
        effort=definition["effort"],
    )


def _stage_answer(run: Run, key: StepKey, answer: ModelAnswer) -> Record:
    content = unique_ids(answer.content, run.turn, run.state.call_ids)
    calls = sum(1 for block in content if block.get("type") == "tool_use")
    cost = run.services.cost(run.state.definition["model"], answer.usage)
    body: dict[str, Any] = {
        "content": content,
        "stop_reason": answer.stop_reason,
        "usage": _row(answer.usage),
        "cost": cost,
        "model": answer.model,
        "request_id": answer.request_id,
    }
    if answer.stop_details:
        body["stop_details"] = answer.stop_details
    if len(run.state.call_ids) + calls > MAX_CALLS:
        body |= {"error": {"code": "calls"}, "verdict": "fail", "content": []}
        run.ledger.stage(run.ledger.record("model", key, "failed", body), spend=cost)
        raise RunFailed("calls", f"I stopped because this run asked for more than {MAX_CALLS:,} tool calls.")
    return run.ledger.stage(run.ledger.record("model", key, "done", body), spend=cost)


def _record_failure(run: Run, key: StepKey, error: ModelError, tried: int) -> None:
    verdict = _verdict(error, tried, run.services.limits.model_attempts)
    delay = _delay(error, tried) if verdict == "retry" else 0.0
    usage = error.usage or Usage()
    cost = run.services.cost(run.state.definition["model"], usage)
    body = {
        "error": {"kind": error.kind, "code": error.code, "message": str(error), "status": error.status},
        "retry_after": error.retry_after,
        "verdict": verdict,
        "delay": delay,
        "usage": _row(usage),
        "cost": cost,
        "partial": error.partial,
    }
    run.ledger.stage(run.ledger.record("model", key, "failed", body), spend=cost)
    if verdict == "retry":
        run.ledger.stage(run.ledger.record("model", run.key(MODEL, key.attempt + 1), "pending", {}))
    run.ledger.flush()
    if verdict == "retry":
        run.progress.retrying(_plainly(error), delay)
        _wait(run, delay)


def _verdict(error: ModelError, tried: int, most: int) -> Verdict:
    match error.kind:
        case "cut":
            return "again"
        case "credentials" | "billing":
            return "park"
        case "invalid":
            return "fail"
        case _:
            return "retry" if tried < most else "suspend"


def _delay(error: ModelError, tried: int) -> float:
    """Seconds until the next attempt: what the service asked for, within our own bounds."""
    wanted = error.retry_after if error.retry_after is not None else FIRST_DELAY * 2 ** (tried - 1)
    return float(min(max(wanted, 0.0), MOST_DELAY))


def _obey(run: Run, failed: Record) -> NoReturn:
    """The verdict recorded with a failure decides, also when another process takes the run up."""
    message = failed.body["error"].get("message", "the model refused")
    match failed.body["verdict"]:
        case "park":
            raise RunParked("credentials", f"The model's account needs an operator: {message}")
        case "suspend":
            raise RunSuspended(f"the model is not available: {message}", run.services.limits.look_again)
        case "again":
            run.check()
            raise RunSuspended("the answer was cut off")
        case _:
            raise RunFailed("model", f"The model refused this request: {message}")


def _wait(run: Run, seconds: float) -> None:
    until = run.services.clock.boottime() + seconds
    while (left := until - run.services.clock.boottime()) > 0:
        run.check()
        run.services.threads.sleep(min(POLL, left))


def _plainly(error: ModelError) -> str:
    return "the model is busy" if error.kind == "busy" else "the model could not be reached"


def _row(usage: Usage) -> list[Any]:
    return [usage.input, usage.output, usage.cache_read, usage.cache_write, usage.estimated]
