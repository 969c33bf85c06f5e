"""The loop of a run. Resuming is running: each line below answers from its record where there is one."""

from __future__ import annotations

from functools import partial

from store.record import Record
from worker.call import Call
from worker.run import Run


def work(run: Run) -> None:
    """Take the run from wherever it stands to its settlement, or raise the control flow that ends the tenure."""
    while True:
        run.check_limits()
        turn = run.ask()  # a step
        if turn.final:
            return run.complete(turn)
        calls = run.gate(turn.calls)  # a step per decision of people
        results = run.map(partial(run_call, run), calls)  # a step per call
        run.commit_turn(turn, results)


def run_call(run: Run, call: Call) -> Record:
    """One tool call, to its recorded outcome."""
    return run.step(call, lambda: run.execute(call))
