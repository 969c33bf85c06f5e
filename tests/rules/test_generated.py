"""Pages that the code tells are up to date, and the code writes only what they list."""

from __future__ import annotations

import re

import fakeredis
import pytest

from bot.listeners.command import COMMAND
from everthread.docs import ROOT, described, pages
from everthread.settings import Settings, variable
from everthread.verbs import VERBS
from playground.simulation.doubles import SimulatedModel
from playground.simulation.fleet import Fleet
from store.lease import Commit
from store.news import News
from store.ports import ModelAnswer, ModelRequest, Usage
from store.redis.keyspace import KEYS
from store.wait import Answer as WaitAnswer
from store.wait import Answerers, Wait
from tests import outputs
from worker.agent import Agent
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import tool

THREAD = "T1/C1/1700000000.000100"
PATTERNS = {key.pattern: re.compile(re.sub(r"<\w+>", "[^:]+", re.escape(key.pattern))) for key in KEYS}


@pytest.mark.parametrize("path", list(pages()), ids=lambda path: path.stem)
def test_a_generated_page_says_what_the_code_says(path: object) -> None:
    for page, text in pages().items():
        if page == path:
            assert page.read_text(encoding="utf-8") == text, "run `make docs`"


@pytest.mark.clause("ADMIN-1", "ADMIN-2")
def test_the_commands_that_a_page_shows_print_what_it_shows() -> None:
    text = outputs.PAGE.read_text(encoding="utf-8")
    named = {found["command"].split()[0] for found in outputs.BLOCK.finditer(text)}
    assert {*VERBS, COMMAND} <= named
    assert outputs.page(text) == text, "run `make docs`"


def test_every_setting_is_described_where_people_deploy_and_in_the_docs() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    names = {variable(field) for field in Settings.model_fields}
    assert names == set(described())
    assert [name for name in names if f"`{name}`" not in page] == []
    assert min(len(words) for words in described().values()) > 15


def test_every_key_is_written_as_it_is_declared_and_every_declared_key_is_written() -> None:
    keys = written()
    undeclared = [key for key in keys if not any(pattern.fullmatch(key) for pattern in PATTERNS.values())]
    assert undeclared == []
    for declared in KEYS:
        types = {kind for key, kind in keys.items() if PATTERNS[declared.pattern].fullmatch(key)}
        assert types == {declared.type}, declared.pattern


def written() -> dict[str, str]:
    """Every key that a few runs leave, or have for a while, with its type."""
    found: dict[str, str] = {}

    def answer(request: ModelRequest) -> ModelAnswer:
        last = str(request.messages[-1]["content"])
        wanted = {"note": ("append_note", {"note": "n"}), "risk": ("risk", {})}
        for word, (name, given) in wanted.items():
            if f": {word}" in last:
                block = {"type": "tool_use", "id": "t1", "name": name, "input": given}
                return ModelAnswer([block], "tool_use", Usage(10, 1), "m")
        return ModelAnswer([{"type": "text", "text": "done"}], "end_turn", Usage(10, 1), "m")

    @tool(replay="unsafe")
    def risk(context: ToolContext) -> str:
        """Die in the middle."""
        dying = fleet.members[-1]
        if not dying.process.name.endswith("last"):
            dying.process.dead = True
            dying.process.check()
        return "survived"

    fleet = Fleet(Agent((*builtin_tools(), risk), "m"), SimulatedModel(answer))
    looking = fakeredis.FakeRedis(server=fleet.server, decode_responses=True)

    def look(_call: str, _side: str) -> None:
        found.update({key: looking.type(key) for key in looking.scan_iter()})

    def play() -> None:
        store = fleet.host.store
        for n, text in enumerate(("note", "risk", "stop me", "hello"), 1):
            said = fleet.say(THREAD, text, n=n)
            if text == "stop me":
                store.admissions.stop(THREAD, said.run, "U1")
            look("", "")
            fleet.work_off(THREAD, [look, look])  # type: ignore[list-item]
        claim = store.leases.claim(THREAD, "boot:1:1:a")
        fleet.say(THREAD, "more", n=9)
        look("", "")
        store.leases.release(claim.lease, idle=False)
        store.workspace.know("T1", {"U1": "member"})
        store.workspace.refuse_once("T1", "U1")
        for holder in ("r1", "r2"):
            store.workspace.take_turn("T1", "edit", holder, urgent=False)
        store.workspace.pause_turns("T1", "edit", 5)
        store.workspace.bar("T1")
        store.inventory.seen_worker("T1", "pool")
        claim = store.leases.claim(THREAD, "boot:1:1:b")
        asked = Wait("w1", "r9", THREAD, "r9:0:t/answer:0", "approval", "U1", "?", 1.0, answerers=Answerers(quorum=2))
        store.log.commit(claim.lease, Commit("r9", opened=[asked]))
        store.waits.answer(THREAD, WaitAnswer("w1", "U2", 1.0, "button", verdict="approve"))
        store.waits.recall("T1", unseen=-1.0, limit=1)
        look("", "")
        store.leases.release(claim.lease, idle=False)
        store.admissions.amend(THREAD, News("1700000001.000001", "1700000050.000000", "U1", "changed"))
        store.admissions.mute(THREAD, "1700000060.000000", on=True)
        store.workspace.catch_up_to("T1", 1.0)
        store.workspace.choose("T1", "listen:C1", "all")
        look("", "")

    fleet.run(play)
    return found
