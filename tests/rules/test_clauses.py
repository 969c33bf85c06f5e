"""Every clause is proved, and nothing is proved that nobody promised."""

from __future__ import annotations

from tests.rules.tree import listed, marked


def test_every_clause_of_the_contract_is_proved_by_a_test() -> None:
    assert sorted(set(listed()) - set(marked())) == []


def test_every_test_that_names_a_clause_names_one_of_the_contract() -> None:
    unknown = {clause: tests for clause, tests in marked().items() if clause not in listed()}
    assert unknown == {}


def test_no_clause_is_listed_twice() -> None:
    assert len(listed()) == len(set(listed())) > 50
