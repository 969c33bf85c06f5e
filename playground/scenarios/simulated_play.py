"""One play of a scenario in one process: the production classes on virtual time, with a death where one is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from everthread.answering import approvers_of, rules_of
from everthread.settings import PREFIX, Settings
from playground.scenarios.conditions import HOWS, match_of, nth_of
from playground.scenarios.death_gate import DeathGate
from playground.scenarios.happenings import Happening, Happenings, NothingHappened
from playground.scenarios.in_slack import in_slack
from playground.scenarios.quiet import Quiet
from playground.scenarios.scenario import Condition, Scenario, Step
from playground.scenarios.script_call import ScriptCall
from playground.scenarios.seen import Seen, SeenCall
from playground.scenarios.settled import settled
from playground.scenarios.simulated_bots import SimulatedBots
from playground.scenarios.simulated_people import PATIENCE, People
from playground.scenarios.simulated_slack import StandinSlack
from playground.scenarios.simulated_world import FOR_EVER, ModelCall, ScriptedClaude, SimulatedEffects, scripted_agent
from playground.simulation.baton import Baton, Died, Process
from playground.simulation.doubles import Gate
from playground.simulation.fleet import Fleet, Member
from playground.simulation.pool import Pool
from playground.standins.slack.errors import ControlError
from worker.services import Limits

LATE = 15.0
"""After a lapsed lease the end is written once more, ten seconds later; by then that is done."""
SLOW, CAUGHT_UP = 20.0, 5.0
ImpossibleNow = (ControlError, NothingHappened)
"""What a person cannot do any more after a death has changed the play, such as press a button that is gone."""
TOLD = ("admit", "amend", "answer", "claim", "commit", "recall", "release", "retract", "stop", "withdraw")
"""The scripts of which is told what they did."""


class SimulatedPlay:
    """die_at: the number of the call at which its process dies, counted over all processes; 0: nobody does.

    hit: what that call was, once it was reached.
    """

    def __init__(self, scenario: Scenario, die_at: int = 0) -> None:
        self._scenario, self._die_at = scenario, die_at
        self.points = 0
        self.hit = ""
        self._happenings, self._baton = Happenings(), Baton()
        given = {name.removeprefix(PREFIX).lower(): value for name, value in scenario.settings.items()}
        self._settings = Settings.model_validate(given)
        self._claude = ScriptedClaude(scenario.model, stand=self._stand)
        self._effects = SimulatedEffects(self._happenings, self._seated)
        self._slack = StandinSlack(scenario.slack, self._happenings, self._baton)
        self._wanted: list[Condition] = [step.when for step in scenario.play if step.when and step.when.holds]
        self._holds: dict[int, Any] = {}
        self._released: set[int] = set()
        self._frozen: list[Process] = []
        self._dead: set[str] = set()
        self._quiet = Quiet(self._happenings, lambda: self._baton.time)
        self._fleet = self._make_fleet()
        workers = int(scenario.settings.get("EVERTHREAD_WORKERS", 1))
        self._pool = Pool(self._fleet, self._gate, workers=workers, sweep=self._settings.sweep)
        self._bots = SimulatedBots(self._fleet, self._slack, self._settings, self._gate, self._pool.ring)
        self._people = People(self._slack, self._fleet.outside, self._happenings, self._baton)

    def run(self) -> Seen:
        """Play every step, until nothing is left to do."""
        self._fleet.run(self._play)
        with self._fleet.virtual_time():
            return self._look()

    def _at(self, member: Member, call: str, side: str) -> None:
        """A call of a process, before it leaves or after it took effect."""
        self.points += 1
        if self.points == self._die_at:
            self.hit = f"{side} {call} of {member.process.name}"
            self._kill([member.process])
            raise Died(call)
        self._stand_at(call.split(" ")[0], side, member.process)

    def _make_fleet(self) -> Fleet:
        settings = self._settings
        return Fleet(
            scripted_agent(self._scenario, settings, self._effects),
            self._claude,  # type: ignore[arg-type]  # it is seated as the model it stands for
            limits=Limits(renewal=settings.renewal),
            rules=rules_of(settings),
            approvers=approvers_of(settings),
            slack=self._slack,
            baton=self._baton,
            lease=settings.lease,
            grace=settings.grace,
            heard=self._heard,
        )

    def _gate(self) -> Gate:
        return DeathGate(self._at)

    def _play(self) -> None:
        for when in self._wanted:
            if when.subject == "slack":
                self._hold_slack(when)
        self._pool.start(self._scenario.workers)
        self._bots.start(self._scenario.bots)
        try:
            for step in self._scenario.play:
                self._step(step)
            self._wait(self._is_over)
            if any(one["ended"] == "lapsed" for one in self._happenings.all("store.claim")):
                self._wait(lambda: False, LATE)
        finally:
            for member in self._fleet.members:
                if member is not self._fleet.host:
                    member.process.dead = True
            self._fleet.host.process.dead = True

    def _step(self, step: Step) -> None:
        found = self._await(step.when) if step.when is not None else None
        caller = found["pid"] if found is not None else None
        acts = {**step.acts, "caller": caller}
        if "at_once" in acts:
            self._baton.start(self._fleet.host.process, "at once", partial(self._do, acts))
        else:
            self._do(acts)
        if step.when is not None:
            self._released.add(step.when.line)
            if step.when.line in self._holds:
                self._holds[step.when.line].released.set()

    def _do(self, acts: Mapping[str, Any]) -> None:
        for name, value in acts.items():
            act = getattr(self, f"_{name}", None) or getattr(self._people, f"_{name}", None)
            if act is not None:
                with suppress(*(ImpossibleNow if self._die_at else ())):
                    act(value, acts)

    def _await(self, when: Condition) -> Happening | None:
        """What met the condition; None when everything was over without it."""
        if when.subject == "deadline":
            self._wait(lambda: False, self._people.last_deadline() - self._baton.time)
            return None
        match, nth = match_of(when, self._people.ts_of), nth_of(when)
        met: list[Happening] = []
        seen = 0

        def ready() -> bool:
            nonlocal seen
            news = self._happenings.since(seen)
            seen += len(news)
            met.extend(one for one in news if match(one))
            return len(met) >= nth or (self._people.said and self._is_over())

        self._wait(ready)
        return met[nth - 1] if len(met) >= nth else None

    def _wait(self, ready: Callable[[], bool], seconds: float = PATIENCE) -> None:
        self._fleet.baton.wait_until(ready, seconds)

    # what steps do, beside people

    def _kill(self, victim: str | list[Process], acts: Mapping[str, Any] | None = None) -> None:
        if victim == "redis":
            self._fleet.store_is_away = True
            return
        processes = self._victims(victim, acts or {}) if isinstance(victim, str) else victim
        for process in processes:
            process.dead = True
            self._dead.add(process.name)
        self._happenings.tell("death", pids=[process.name for process in processes])

    def _term(self, _victim: str, _acts: Mapping[str, Any]) -> None:
        """Every group is asked to end and gets its grace; nobody takes its place."""
        ending = [member for group in self._pool.groups for member in group.workers]
        for group in self._pool.groups:
            self._pool.leave_alone(group)
        self._bots.end()
        self._wait(lambda: not any(self._owns(member) for member in ending), self._fleet.grace + 4.0)
        for member in ending:
            member.process.dead = True

    def _freeze(self, _victim: str, acts: Mapping[str, Any]) -> None:
        self._frozen = self._victims("job", acts)
        for process in self._frozen:
            process.frozen = True

    def _wake(self, _victim: str, _acts: Mapping[str, Any]) -> None:
        for process in self._frozen:
            process.frozen = False

    def _start(self, counts: Mapping[str, int], _acts: Mapping[str, Any]) -> None:
        if counts.get("redis"):
            self._fleet.store_is_away = False
        self._pool.start(counts.get("workers", 0))
        self._bots.start(counts.get("bots", 0))

    def _fault(self, given: Mapping[str, Mapping[str, Any]], _acts: Mapping[str, Any]) -> None:
        """Of Claude's troubles the slow and the silent stream."""
        if "slack" in given:
            self._slack.standin.faults.add(dict(given["slack"]))
        claude = given.get("claude", {})
        self._claude.lasts = {"slow": SLOW, "silent": FOR_EVER}.get(str(claude.get("kind")), self._claude.lasts)

    def _drop(self, _what: str, _acts: Mapping[str, Any]) -> None:
        self._bots.drop()

    def _mends(self, _what: str, _acts: Mapping[str, Any]) -> None:
        self._slack.standin.faults.remove()

    def _finish(self, tool: str, _acts: Mapping[str, Any]) -> None:
        self._effects.finish(tool)

    def _victims(self, victim: str, acts: Mapping[str, Any]) -> list[Process]:
        workers = [member for group in self._pool.groups for member in group.workers]
        if victim == "all":
            return [member.process for group in self._pool.groups for member in group.members] + self._bots.end()
        if victim in ("bot", "bots"):
            return self._bots.end(1 if victim == "bot" else None)
        if victim == "caller":
            found = [acts["caller"]] if acts.get("caller") is not None else []
            return [member.process for member in self._fleet.members if member.process.name in found]
        jobs = [member for member in workers if self._owns(member)]
        if victim == "job" or not jobs:
            return [member.process for member in jobs]
        group = self._pool.group_of(jobs[0])
        if victim == "supervisor":
            self._pool.leave_alone(group)
            return []
        members = group.workers if victim == "worker" else group.members
        return [member.process for member in members]

    def _owns(self, member: Member) -> bool:
        with self._outside():
            threads = {str(one["thread"]) for one in self._happenings.all("store.admit") if one["word"] == "NEW"}
            heads = [self._fleet.outside.inventory.head(thread) for thread in sorted(threads)]
        return not member.process.dead and any(
            head is not None and head.owner.startswith(member.owner) for head in heads
        )

    # what is heard

    def _heard(self, process: Process, script: str, words: Any, answer: Any) -> None:
        if script in TOLD:
            call = ScriptCall(script, [str(word).encode() for word in words])
            about = {**call.told(answer, None), "pid": process.name}
            self._happenings.tell(**about)

    def _stand(self, how: str, turn: int, process: Process) -> None:
        """A model call at one of its places."""
        fits = [
            one for one in self._wanted if one.subject == "model" and HOWS[one.of] == how and one.turn in (None, turn)
        ]
        if fits:
            self._hold(fits[0], process, "claude.call.held", how=how, turn=turn, tokens=max(one.tokens for one in fits))

    def _stand_at(self, call: str, side: str, process: Process) -> None:
        for one in self._wanted:
            if one.subject in ("commit", "admit", "answer") and one.subject == call and self._is_nth(one, call, side):
                self._hold(one, process, "store.held", name=call, nth=int(one.of), side=side)
                return

    def _hold_slack(self, when: Condition) -> None:
        wish = {"method": when.of, "nth": when.nth, "when": when.happens or "before", "containing": when.containing}
        self._holds[when.line] = self._slack.standin.faults.hold(wish)

    def _is_nth(self, condition: Condition, call: str, side: str) -> bool:
        done = len(self._happenings.all(f"store.{call}"))
        return side == (condition.happens or "before") and int(condition.of) == done + (side == "before")

    def _hold(self, condition: Condition, process: Process, kind: str, **about: Any) -> None:
        self._wanted.remove(condition)
        self._happenings.tell(kind, pid=process.name, **about)
        self._wait(lambda: condition.line in self._released)

    def _seated(self) -> tuple[Process, Gate, Callable[..., bool]]:
        process = self._fleet.baton.current_process
        gate = next(member.gate for member in self._fleet.members if member.process is process)
        return process, gate, self._fleet.baton.wait_until

    # what is seen

    def _is_cut(self, call: ModelCall) -> bool:
        """Whether its process could not record the answer, as far as one can tell from outside."""
        return not call.whole or call.process.name in self._dead

    def _outside(self) -> Any:
        return self._fleet.virtual_time()

    def _is_over(self) -> bool:
        """Every message taken, every run at its end and shown, and where bots may catch up, nothing for as long."""
        rest = self._settings.catch_up + CAUGHT_UP if self._bots.catch_up else 0.0
        return not self._bots.busy and self._quiet.lasts(rest)

    def _look(self) -> Seen:
        slack, happenings = self._slack.standin, self._happenings
        messages = [message.dump() for message in slack.world.messages.values()]
        return replace(
            in_slack(settled(self._fleet.outside, happenings), messages, happenings, self._slack.content),
            calls=[SeenCall(one.digest, True, self._is_cut(one)) for one in self._claude.calls],
            effects=self._effects.done,
            asked=json.dumps([body["messages"] for body in self._claude.asked], ensure_ascii=False),
            deaths=len(happenings.all("death")),
            violations=[str(one["what"]) for one in slack.violations] + self._claude.violations,
        )
