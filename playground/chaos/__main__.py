"""Storms by seed: `python -m playground.chaos SEEDS`, or `--seed N` for one again, with what happened in it."""

from __future__ import annotations

import argparse
import logging
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from os import cpu_count

from playground.chaos.invariants import violations
from playground.chaos.play import play
from playground.chaos.tally import Tally
from store.system import SystemClock

clock = SystemClock()
CHUNK = 20
SAY_EVERY = 5.0


def storms(first: int, count: int, *, stop: bool = False) -> tuple[Tally, list[tuple[int, list[str]]]]:
    """The storms of these seeds: what they did, and what did not hold, by seed.

    stop: at the first that found anything.
    """
    logging.disable(logging.CRITICAL)
    tally, wrong = Tally(), []
    for seed in range(first, first + count):
        try:
            storm = play(seed)
            tally.update(storm.tally)
            found = violations(storm)
        except Exception as error:  # a storm that cannot be played to its end has found something
            found = [f"{type(error).__name__}: {error}"]
        if found:
            wrong.append((seed, found))
            if stop:
                break
    return tally, wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m playground.chaos", description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=200, help="how many, from 0 on")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="play one again")
    parser.add_argument("--stop", action="store_true", help="stop at the first that finds anything")
    given = parser.parse_args()
    if given.seed is not None:
        return _again(given.seed)
    began = said = clock.boottime()
    tally, wrong, done = Tally(), [], 0
    with ProcessPoolExecutor(cpu_count() or 1, mp_context=get_context("fork")) as processes:
        firsts = range(given.first, given.first + given.seeds, CHUNK)
        waiting = [
            processes.submit(storms, first, min(CHUNK, given.first + given.seeds - first), stop=given.stop)
            for first in firsts
        ]
        for over in as_completed(waiting):
            counted, found = over.result()
            tally.update(counted)
            wrong += found
            done = min(given.seeds, done + CHUNK)
            if wrong and given.stop:
                processes.shutdown(wait=True, cancel_futures=True)
                break
            if clock.boottime() - said > SAY_EVERY:
                said = clock.boottime()
                print(f"{done:,} of {given.seeds:,} storms · {len(wrong)} wrong", file=sys.stderr)
    took = clock.boottime() - began
    print("\n".join(tally.lines()))
    print(f"{given.seeds:,} storms in {took:.0f} s, {given.seeds / took:.1f} a second")
    for seed, faults in sorted(wrong)[:20]:
        print(f"seed {seed}: {'; '.join(faults[:3])}")
    print("nothing did not hold" if not wrong else f"{len(wrong)} storms found something; --seed N plays one again")
    return 1 if wrong else 0


def _again(seed: int) -> int:
    """One storm, told."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    storm = play(seed)
    print("\n".join(storm.tally.lines()))
    for thread in storm.people.threads:
        for raw in storm.fleet.outside.log.read(thread):
            print(raw[:240])
    found = violations(storm)
    print("\n".join(found) or "everything holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
