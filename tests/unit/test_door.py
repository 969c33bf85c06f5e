"""A tenure's way out: which streams a stop cuts."""

from __future__ import annotations

import pytest

from playground.simulation.doubles import SimulatedModel
from playground.simulation.fleet import Fleet
from store.lease import Lease, Stop
from store.ports import Cut
from worker.agent import Agent
from worker.door import Door
from worker.services import Services


@pytest.fixture
def door() -> Door:
    services: Services = Fleet(Agent((), "m"), SimulatedModel(lambda _: pytest.fail("nobody is asked"))).host.services
    return Door(services, Lease("T1/C1/1.0", "o", "1.n", 1e12, 0), {}, 0, fruitless=False)


@pytest.mark.clause("STOP-1")
def test_a_stop_cuts_the_stream_of_its_own_run_and_no_other(door: Door) -> None:
    mine, other = Cut(), Cut()
    door.cuts |= {mine: "r1", other: "r2"}

    door.hear({"r1": Stop("r1", "U1", 0.0)})

    assert mine.fired
    assert not other.fired


@pytest.mark.clause("LEASE-1")
def test_a_lost_lease_cuts_every_stream(door: Door) -> None:
    from store.errors import StaleEpochError

    cut = Cut()
    door.cuts[cut] = "r1"
    door.lose(StaleEpochError("T1/C1/1.0", "1.n"))

    assert cut.fired
