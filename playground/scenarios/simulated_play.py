"""One play of a scenario in one process: the production classes on virtual time, with a death where one is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from playground.scenarios.conditions import HOWS, match_of, nth_of
from playground.scenarios.death_gate import DeathGate
from playground.scenarios.happenings import Happening, Happenings
from playground.scenarios.scenario import Condition, Scenario, Step
from playground.scenarios.script_call import ScriptCall
from playground.scenarios.seen import Seen, SeenCall, SeenReply
from playground.scenarios.settled import settled
from playground.scenarios.simulated_bots import SimulatedBots
from playground.scenarios.simulated_world import FOR_EVER, ModelCall, ScriptedClaude, SimulatedEffects, ToldSlack
from playground.scenarios.tools import arguments_of, make
from playground.simulation.baton import Died, Process
from playground.simulation.doubles import Gate, Posted
from playground.simulation.fleet import Fleet, Member
from playground.simulation.pool import Pool
from store.lifecycle import SETTLED
from worker.agent import Agent
from worker.services import Limits

PATIENCE = 600.0
"""Virtual seconds that a play may take."""
LATE = 15.0
"""After a lapsed lease the end is written once more, ten seconds later; by then that is done."""
SLOW = 20.0


class SimulatedPlay:
    """die_at: the number of the call at which its process dies, counted over all processes; 0: nobody does.

    hit: what that call was, once it was reached.
    """

    def __init__(self, scenario: Scenario, die_at: int = 0) -> None:
        self._scenario, self._die_at = scenario, die_at
        self.points = 0
        self.hit = ""
        self._happenings = Happenings()
        self._claude = ScriptedClaude(scenario.model, stand=self._stand)
        self._effects = SimulatedEffects(self._happenings, self._seated)
        self._wanted: list[Condition] = [step.when for step in scenario.play if step.when and step.when.holds]
        self._released: set[int] = set()
        self._frozen: list[Process] = []
        self._dead: set[str] = set()
        self._fleet = self._make_fleet()
        workers = int(scenario.settings.get("EVERTHREAD_WORKERS", 1))
        sweep = float(scenario.settings.get("EVERTHREAD_SWEEP", 2.0))
        self._pool = Pool(self._fleet, self._gate, workers=workers, sweep=sweep)
        self._bots = SimulatedBots(self._fleet, self._gate, self._happenings, self._pool.ring)

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
        settings = self._scenario.settings
        arguments = arguments_of(self._scenario.model)
        tools = tuple(make(plan, arguments.get(plan.name, {}), self._effects.act) for plan in self._scenario.tools)
        self._slack = ToldSlack(happenings=self._happenings)
        return Fleet(
            Agent(tools, "claude-sonnet-5-5"),
            self._claude,  # type: ignore[arg-type]  # it is seated as the model it stands for
            limits=Limits(renewal=float(settings.get("EVERTHREAD_RENEWAL", 4.0))),
            slack=self._slack,
            lease=float(settings.get("EVERTHREAD_LEASE", 15.0)),
            grace=float(settings.get("EVERTHREAD_GRACE", 20.0)),
            heard=self._heard,
        )

    def _gate(self) -> Gate:
        return DeathGate(self._at)

    def _play(self) -> None:
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
        if step.when is not None:
            found = self._await(step.when)
            caller = found["process"] if found is not None else None
        else:
            caller = None
        for name, value in step.acts.items():
            act = getattr(self, f"_{name}", None)
            if act is not None:
                act(value, {**step.acts, "caller": caller})
        if step.when is not None:
            self._released.add(step.when.line)

    def _await(self, when: Condition) -> Happening | None:
        """What met the condition; None when everything was over without it."""
        match, nth = match_of(when, self._bots.ts_of), nth_of(when)
        met: list[Happening] = []
        seen = 0

        def ready() -> bool:
            nonlocal seen
            news = self._happenings.all()[seen:]
            seen += len(news)
            met.extend(one for one in news if match(one))
            return len(met) >= nth or (self._bots.said and self._is_over())

        self._wait(ready)
        return met[nth - 1] if len(met) >= nth else None

    def _wait(self, ready: Callable[[], bool], seconds: float = PATIENCE) -> None:
        self._fleet.baton.wait_until(ready, seconds)

    # what steps do

    def _says(self, text: str, acts: Mapping[str, Any]) -> None:
        self._bots.hear(text, acts)

    def _redeliver(self, message: str, acts: Mapping[str, Any]) -> None:
        self._bots.deliver_again(message, int(acts.get("times", 1)))

    def _clicks(self, _label: str, acts: Mapping[str, Any]) -> None:
        self._wait(lambda: bool(self._slack.posts))
        self._bots.stop(self._slack.posts[-1].run, acts.get("user", "ann"))

    def _stops(self, message: str, acts: Mapping[str, Any]) -> None:
        ts = self._bots.ts_of(message)
        self._wait(lambda: ts in self._bots.runs.values())
        run = next(run for run, its in self._bots.runs.items() if its == ts)
        self._bots.stop(run, acts.get("user", "ann"))

    def _kill(self, victim: str | list[Process], acts: Mapping[str, Any] | None = None) -> None:
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
        self._pool.start(counts.get("workers", 0))
        self._bots.start(counts.get("bots", 0))

    def _fault(self, given: Mapping[str, Mapping[str, Any]], _acts: Mapping[str, Any]) -> None:
        """Of Slack's troubles the lost answer to a post, of Claude's the slow and the silent stream."""
        slack, claude = given.get("slack", {}), given.get("claude", {})
        if (slack.get("kind"), slack.get("method")) == ("drop", "chat.postMessage"):
            self._slack.lost_answers += int(slack.get("times", 1))
        self._claude.lasts = {"slow": SLOW, "silent": FOR_EVER}.get(str(claude.get("kind")), self._claude.lasts)

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
            heads = [self._fleet.outside.inventory.head(thread) for thread in self._bots.threads]
        return not member.process.dead and any(
            head is not None and head.owner.startswith(member.owner) for head in heads
        )

    # what is heard

    def _heard(self, process: Process, script: str, words: Any, answer: Any) -> None:
        if script in ("admit", "claim", "commit", "release", "stop") and not isinstance(answer, Exception):
            call = ScriptCall(script, [str(word).encode() for word in words])
            about = {**call.told(answer, None), "process": process.name, "pid": process.name}
            self._happenings.tell(**about)

    def _stand(self, how: str, turn: int, process: Process) -> None:
        """A model call at one of its places."""
        fits = [
            one for one in self._wanted if one.subject == "model" and HOWS[one.of] == how and one.turn in (None, turn)
        ]
        if fits:
            self._hold(fits[0], process, "claude.call.held", how=how, turn=turn, tokens=max(one.tokens for one in fits))

    def _stand_at(self, call: str, side: str, process: Process) -> None:
        methods = {"chat.postMessage": "post", "chat.update": "edit", "conversations.replies": "find"}
        for one in self._wanted:
            if one.subject in ("commit", "admit") and one.subject == call and self._is_nth(one, call, side):
                self._hold(one, process, "store.held", name=call, nth=int(one.of), side=side)
                return
            if one.subject == "slack" and methods.get(one.of) == call and side == (one.happens or "before"):
                self._hold(one, process, "slack.hold.reached", method=one.of, when=side)
                return

    def _is_nth(self, condition: Condition, call: str, side: str) -> bool:
        done = len(self._happenings.all(f"store.{call}"))
        return side == (condition.happens or "before") and int(condition.of) == done + (side == "before")

    def _hold(self, condition: Condition, process: Process, kind: str, **about: Any) -> None:
        self._wanted.remove(condition)
        self._happenings.tell(kind, pid=process.name, process=process.name, **about)
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
        """Every message taken, every run at its end, and every end shown."""
        if self._bots.busy:
            return False
        status: dict[str, str] = {}
        shown: set[str] = set()
        for one in self._happenings.all("store.commit"):
            if "status" in one["head"]:
                status[str(one["run"])] = one["head"]["status"]
            shown |= {str(one["run"])} if any(call == "#delivered" for call, _ in one["records"]) else set()
        return all(status.get(run) in (*SETTLED, "parked") and run in shown for run in self._bots.runs)

    def _look(self) -> Seen:
        seen = settled(self._fleet.outside, self._happenings)
        return replace(
            seen,
            replies=[_reply(post) for post in self._slack.posts],
            calls=[SeenCall(one.digest, True, self._is_cut(one)) for one in self._claude.calls],
            effects=self._effects.done,
            asked=json.dumps([body["messages"] for body in self._claude.asked], ensure_ascii=False),
            deaths=len(self._happenings.all("death")),
            violations=self._claude.violations,
        )


def _reply(post: Posted) -> SeenReply:
    versions = [f"{view.text}\n{view.note}\n{view.footer}" for view in post.views]
    return SeenReply(post.run, post.part, post.ts, versions, post.deleted)
